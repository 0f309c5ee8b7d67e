//! Stick tables and the stick game, as a person meets them.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use program::{
    fail, feed, folder, manifest, retrotab, run_sticks, start, succeed, verified_identity,
};
use serde_json::{Value as Json, json};

fn probe(table: &Path, args: &[&str]) -> String {
    succeed(retrotab(&["probe"]).arg(table).args(args))
}

#[test]
fn a_table_is_made_described_verified_and_probed() {
    let (_dir, table) = folder();
    let first = succeed(&mut run_sticks(3, &table, &[]));
    assert!(!table.join("work").exists(), "the work folder is removed");
    let manifest = manifest(&table);
    assert_eq!(manifest["table"], json!({"family": "sticks", "rows": 3}));
    assert_eq!(manifest["positions"], 16);
    assert_eq!(manifest["columns"][0]["entry"], "u8");
    let identity = verified_identity(&table);
    assert!(first.contains(&identity), "{first}");
    let again = succeed(&mut run_sticks(3, &table, &[]));
    assert!(again.contains("finished before") && again.contains(&identity), "{again}");
    let other = fail(&mut run_sticks(4, &table, &[]), 2);
    assert!(other.contains("1 to 3 sticks") && other.contains("1 to 4 sticks"), "{other}");
}

/// Worked out by hand: from 1 2 strike the two, and one stick is left; from 1 1 1 the moves
/// are forced; 2 2 is lost, because the other player can keep both alike or leave one.
#[test]
fn probing_tells_outcome_moves_and_best_moves() {
    let (_dir, table) = folder();
    succeed(&mut run_sticks(3, &table, &[]));
    assert_eq!(probe(&table, &["1"]), "1  loss in 1  (entry 1)\n  strike a whole segment of 1\n");
    let two = probe(&table, &["2", "1"]);
    assert_eq!(two, "1 2  win in 2  (entry 5)\n  strike a whole segment of 2\n");
    assert_eq!(probe(&table, &["2 1"]), two, "one quoted argument is the same");
    assert!(probe(&table, &["1", "1", "1"]).starts_with("1 1 1  loss in 3 "));
    // Leaves 1 1 1, the longest game of those that are lost.
    assert_eq!(
        probe(&table, &["3", "1"]).lines().skip(1).collect::<Vec<_>>(),
        ["  strike a whole segment of 3"],
        "the winner takes the shorter way"
    );
    assert!(probe(&table, &["2", "2"]).starts_with("2 2  loss in 3 "));
    assert!(probe(&table, &["1", "2", "3"]).starts_with("1 2 3  loss in "));

    let line = probe(&table, &["3", "--json"]);
    let found: Json = serde_json::from_str(&line).unwrap();
    let best = json!([{"length": 3, "struck": 2, "left": [1]}]);
    assert_eq!(
        found,
        json!({"position": [3], "entry": 6, "outcome": "win", "moves": 2, "best": best})
    );
}

#[test]
fn boards_are_probed_too() {
    let (_dir, table) = folder();
    succeed(&mut run_sticks(3, &table, &[]));
    let text = probe(&table, &["--board", "./../|||"]);
    assert_eq!(text, "./../|||  win in 2  (entry 6)\n  [3,1,1]  ./../..|\n  [3,2,1]  ./../|..\n");
    assert_eq!(probe(&table, &["--board", "./../..."]), "./../...  win in 0  (entry 0)\n");
    let line = probe(&table, &["--json", "--board", "|/||/|.|"]);
    let found: Json = serde_json::from_str(&line).unwrap();
    assert_eq!(found["position"], json!([1, 1, 1, 2]));
    assert_eq!(found["board"], "|/||/|.|");
    assert_eq!(found["outcome"], "win");
    // Leaving an odd number of single sticks wins.
    let best = json!([{"row": 2, "first": 1, "further": 1, "board": "|/../|.|"}]);
    assert_eq!(found["best"], best);
    let found =
        feed(retrotab(&["probe"]).arg(&table).args(["--board", "-"]), "|/../...\n\n./||/...\n");
    assert!(found.status.success());
    assert_eq!(String::from_utf8(found.stdout).unwrap().matches(" in ").count(), 2);
    let found = feed(retrotab(&["probe"]).arg(&table).arg("-"), "1 2\n3\n-\n3 x\n");
    assert_eq!(found.status.code(), Some(2));
    let error = String::from_utf8(found.stderr).unwrap();
    assert!(error.contains("line 4") && error.contains("`x`"), "{error}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let (dir, table) = folder();
    succeed(&mut run_sticks(3, &table, &[]));
    let path = table.to_str().unwrap();
    let probe = |args: &[&str]| fail(retrotab(&["probe", path]).args(args), 2);
    assert!(probe(&["0"]).contains("`0` is no length"));
    assert!(probe(&["1", "-2"]).contains("`-2` is no length"));
    assert!(probe(&["4"]).contains("longest row of the table has 3"));
    assert!(probe(&["3", "2", "2"]).contains("more than 6 sticks"));
    assert!(probe(&["3", "3"]).contains("cannot come up"));
    assert!(probe(&["x"]).contains("`x`"));
    assert!(probe(&[""]).contains("no segments"));
    assert!(probe(&["--board", "|/||"]).contains("2 rows"));
    assert!(probe(&["--board", "|/||/||||"]).contains("row 3 of the board has 4 places"));
    assert!(probe(&["--board", "|/|x/|||"]).contains("`x`"));
    assert!(probe(&["--board", "|/|| /|||"]).contains("one word"));
    for rows in ["0", "13", "-1", "x", "256"] {
        for command in [
            &["run", "sticks", "--out", "x", "--rows"][..],
            &["sticks", "play", "--rows"],
            &["sticks", "enumerate", "--rows"],
        ] {
            fail(retrotab(command).arg(rows).current_dir(dir.path()), 2);
        }
    }
    assert!(!dir.path().join("x").exists());
    let stack = dir.path().join("stack");
    succeed(&mut program::run_stack(1, 2, &stack, &[]));
    let error = fail(&mut retrotab(&["probe", stack.to_str().unwrap(), "--board", "|"]), 2);
    assert!(error.contains("stick tables"), "{error}");
}

#[test]
fn the_seven_games_of_two_rows() {
    let sensible = "\
[[1,1,0],[2,1,0]] lose
[[1,1,0],[2,2,0]] lose
[[2,1,0],[1,1,0]] lose
[[2,1,0],[2,2,0]] lose
[[2,1,1]] win
[[2,2,0],[1,1,0]] lose
[[2,2,0],[2,1,0]] lose
";
    let games =
        |more: &[&str]| succeed(retrotab(&["sticks", "enumerate", "--rows", "2"]).args(more));
    assert_eq!(games(&[]), sensible);
    let all = games(&["--all"]);
    assert_eq!(all.lines().count(), 8);
    assert!(all.contains("[[1,1,0],[2,1,1]] win\n"), "{all}");
    assert_eq!(all.replace("[[1,1,0],[2,1,1]] win\n", ""), sensible);
}

#[test]
fn long_lists_of_games_are_cut() {
    let mut command = retrotab(&["sticks", "enumerate", "--rows", "12", "--limit", "3"]);
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 3);
    assert!(String::from_utf8(output.stderr).unwrap().contains("more than 3 games"));
    let one = retrotab(&["sticks", "enumerate", "--rows", "1"]).output().unwrap();
    assert_eq!(String::from_utf8(one.stdout).unwrap(), "[] lose\n");
    assert!(one.stderr.is_empty());
}

fn played(rows: &str, more: &[&str], input: &str) -> String {
    let output = feed(retrotab(&["sticks", "play", "--rows", rows]).args(more), input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_game_is_played_through_a_pipe() {
    // With two rows the player who starts wins by striking row 2.
    let won = played("2", &[], "2 1 1\n");
    assert!(won.contains("You strike sticks 1 to 2 of row 2."), "{won}");
    assert!(won.contains("\n      1  2\n  1   |\n  2   .  .\n"), "the board is drawn: {won}");
    assert!(won.ends_with("I have to strike the last stick: you win.\n"), "{won}");
    let lost = played("2", &["--second"], "");
    assert!(lost.contains("I strike sticks 1 to 2 of row 2."), "{lost}");
    assert!(lost.ends_with("You have to strike the last stick: I win.\n"), "{lost}");
    let all = played("2", &[], "1 1\n2 1 1\n");
    assert!(all.contains("I strike stick 1 of row 2."), "{all}");
    let odd = played("3", &[], "hello\n4 1\n3 1 3\n1 1\n1 1\nq\n");
    for reason in ["Type two or three numbers", "no row 4", "no place 4", "struck already"] {
        assert!(odd.contains(reason), "{reason}: {odd}");
    }
    assert!(odd.ends_with("The game is not finished.\n"), "{odd}");
    assert!(played("1", &[], "").ends_with("You have to strike the last stick: I win.\n"));
}

/// With three rows the second player wins: the table does, whatever is typed.
#[test]
fn the_table_wins_what_is_won() {
    let moves = ["1 1", "2 1", "2 2", "2 1 1", "3 1", "3 2", "3 3", "3 1 1", "3 2 1", "3 1 2"];
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let lines: Vec<&str> = (0..100).map(|_| *random.choice(&moves[..]).unwrap()).collect();
        let game = played("3", &[], &lines.join("\n"));
        assert!(game.ends_with("I win.\n"), "seed {seed}: {game}");
    }
}

fn shards(table: &Path) -> usize {
    let Ok(files) = fs::read_dir(table.join("work/shards")) else { return 0 };
    let names = files.map(|file| file.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".shard.zst")).count()
}

#[test]
fn killed_and_resumed_is_the_same_table() {
    let (_dir, whole) = folder();
    succeed(&mut run_sticks(9, &whole, &[]));
    let (_dir, table) = folder();
    for stored in [1, 5, 15, 25] {
        let mut command = run_sticks(9, &table, &[]);
        // It stands still when it has stored so many.
        let when = format!("commit::recorded={}*off->pause", stored - shards(&table) - 1);
        let mut run = start(command.env("FAILPOINTS", when));
        let begin = Instant::now();
        while shards(&table) < stored {
            assert!(begin.elapsed() < Duration::from_secs(240), "no shards appear");
            assert!(run.try_wait().unwrap().is_none(), "the run ended too soon for this test");
            std::thread::sleep(Duration::from_millis(1));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(!table.join("manifest.json").exists());
    }
    succeed(&mut run_sticks(9, &table, &["--threads", "1"]));
    assert_eq!(verified_identity(&table), verified_identity(&whole));
    let file = |table: &Path| fs::read(table.join("000.u8.zst")).unwrap();
    assert!(file(&table) == file(&whole), "the files are the same too");
}

#[test]
fn threads_memory_and_units_do_not_matter() {
    let (_dir, table) = folder();
    succeed(&mut run_sticks(8, &table, &[]));
    let identity = verified_identity(&table);
    for options in [
        &["--threads", "1"][..],
        &["--threads", "3"],
        &["--memory", "64MiB"],
        &["--unit-size", "1MiB"],
    ] {
        let (_dir, table) = folder();
        succeed(&mut run_sticks(8, &table, options));
        assert_eq!(verified_identity(&table), identity, "{options:?}");
    }
    let (_dir, table) = folder();
    let error = fail(&mut run_sticks(8, &table, &["--memory", "1MiB"]), 1);
    assert!(error.contains("--memory"), "{error}");
}
