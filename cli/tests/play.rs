//! `play` and `advise` with a small table, and what bad input says.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod terminal;

use std::fs;
use std::path::Path;

use program::{fail, feed, folder, retrotab, run_stack, run_sticks, succeed};
use serde_json::Value;
use terminal::Terminal;

/// A table for 3 stacks in a folder.
fn table() -> (tempfile::TempDir, std::path::PathBuf) {
    let (dir, table) = folder();
    succeed(&mut run_stack(3, 6, &table, &["--rule", "choice"]));
    (dir, table)
}

fn play(table: &Path, args: &[&str]) -> String {
    succeed(retrotab(&["play", "--stacks", "3", "--table"]).arg(table).args(args))
}

fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn games_are_printed_counted_and_do_not_depend_on_the_threads() {
    let (_dir, table) = table();
    let many = ["-c", "40", "-m", "10", "--json"];
    let one = json(&play(&table, &[&many[..], &["--threads", "1"]].concat()));
    let two = json(&play(&table, &[&many[..], &["--threads", "3"]].concat()));
    assert_eq!(one[..40], two[..40]);
    let won: Vec<&Value> = one[..40].iter().filter(|game| game["won"] == true).collect();
    assert!(!won.is_empty() && won.len() < 40, "{}", won.len());
    assert_eq!(one[40]["wins"], won.len());
    assert!(one[40]["low"].as_f64().unwrap() < one[40]["rate"].as_f64().unwrap());
    assert!(won.iter().all(|game| game["built"] == 52));

    let text = play(&table, &["-c", "40", "-m", "10"]);
    assert!(text.starts_with(&format!("{}/40\n", won.len())), "{text}");
    assert!(text.contains("95 % interval"), "{text}");

    // A single game, as the original prints it.
    let deal = won[0]["deal"].to_string();
    let text = play(&table, &["-d", &deal, "-m", "10"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 52 * 9 + 2);
    assert_eq!(lines[52 * 9..], ["O", "1/1"]);
    let last = &lines[51 * 9..52 * 9];
    assert!(last[0].starts_with("52: "), "{last:?}");
    assert_eq!(last[1..8], ["0: ", "1: ", "2: ", "3: ", "[0]", "[1]", "[2]"]);
    assert!(last[8].starts_with("----+"));
    assert!(text.lines().any(|line| line.starts_with("[0] ") && line.contains("-")));

    let draws = json(&play(&table, &["-d", &deal, "-m", "10", "--json"]));
    assert_eq!(draws.len(), 53);
    assert_eq!(draws[52]["won"], true);
    // The same cards from a file are the same game.
    let file = table.join("../deals.txt");
    let cards = draws[52]["deal"].as_str().unwrap();
    fs::write(&file, format!("\n{cards}\n")).unwrap();
    let listed = ["--deals", file.to_str().unwrap(), "-m", "10", "--json"];
    assert_eq!(json(&play(&table, &listed)), draws);
}

#[test]
fn of_a_file_all_deals_are_played_or_as_many_as_are_asked_for() {
    let (dir, table) = table();
    let file = dir.path().join("deals.txt");
    let cards = "A23456789TJQK".repeat(4);
    let turned = |by: usize| format!("{}{}", &cards[by..], &cards[..by]);
    fs::write(&file, format!("{}\n{}\n{}\n", turned(0), turned(1), turned(2))).unwrap();
    let play = |more: &[&str]| {
        let deals = ["--deals", file.to_str().unwrap(), "-m", "5", "--json"];
        json(&play(&table, &[&deals, more].concat()))
    };
    let all = play(&[]);
    assert_eq!((all.len(), &all[3]["games"]), (4, &3.into()));
    let two = play(&["-d", "1"]);
    assert_eq!((two.len(), &two[0], &two[1]), (3, &all[1], &all[2]));
    assert_eq!(play(&["-c", "2"])[..2], all[..2]);
    for number in 0..3 {
        // Draw by draw.
        let one = play(&["-d", &number.to_string(), "-c", "1"]);
        assert_eq!(one.last().unwrap()["deal"], turned(number));
        assert_eq!(one[0]["card"], turned(number)[..1]);
    }
}

#[test]
fn networks_are_not_asked_about_tables_of_another_rule() {
    let (_dir, sorted) = folder();
    succeed(&mut run_stack(3, 5, &sorted, &[]));
    let with = |more: &[&str]| {
        let mut play = retrotab(&["play", "-m", "3", "--table"]);
        play.arg(&sorted).args(more);
        play
    };
    for evaluator in ["fitted", "fitted-subgames", "best"] {
        let error = fail(&mut with(&["--evaluator", evaluator]), 2);
        assert!(error.contains("the rule `sorted-1`"), "{error}");
        let make = "`retrotab run stack --stacks 3 --cards 5 --rule choice`";
        assert!(error.contains(make), "{error}");
    }
    let error = fail(&mut with(&["--first", "fitted", "--judged", "2"]), 2);
    assert!(error.contains("the rule `sorted-1`"), "{error}");
    succeed(&mut with(&[]));
    succeed(&mut with(&["--evaluator", "sum", "--width", "3", "--samples", "2"]));
}

#[test]
fn options_that_the_evaluator_does_not_use_are_refused() {
    let (_dir, table) = table();
    let refused = |args: &[&str]| fail(retrotab(&["play", "--table"]).arg(&table).args(args), 2);
    for (option, value, users) in [
        ("--weights", "/nowhere", "fitted, best"),
        ("--subgame-weights", "/nowhere", "fitted-subgames, best"),
        ("--width", "7", "subgames, sum, fitted-subgames, best"),
        ("--samples", "52", "subgames, sum, fitted-subgames, best"),
        ("--draws", "chance", "subgames, sum, fitted-subgames, best"),
        ("--weight", "0.5", "sum"),
        ("--cache", "/nowhere", "subgames, sum, fitted-subgames, best"),
        ("--memory", "1GiB", "subgames, sum, fitted-subgames, best"),
    ] {
        let error = refused(&[option, value]);
        let what = format!("{option} is not used by --evaluator table, only by {users};");
        assert!(error.contains(&what), "{error}");
    }
    let error = refused(&["--evaluator", "subgames"]);
    assert!(error.contains("--table is not used by --evaluator subgames"), "{error}");
    let error = refused(&["--first", "fitted", "--judged", "2", "--weight", "1"]);
    assert!(error.contains("--weight is not used by --evaluator table, fitted, only"), "{error}");
    // The evaluator --first counts, too.
    let first = ["-m", "3", "--first", "subgames", "--judged", "2", "--width", "3"];
    play(&table, &first);
}

#[test]
fn a_person_plays_with_keys() {
    let (dir, table) = table();
    let file = dir.path().join("deals.txt");
    fs::write(&file, "KA".to_owned() + &"A23456789TJQK".repeat(4)[1..51]).unwrap();
    let (table, file) = (table.display(), file.display());
    let arguments = format!("play --interactive -m 5 --table {table} --deals {file}");
    let mut game = Terminal::open(&arguments, &[]);
    game.wait_for(&["drawn: K", "51 cards left", "1 put on [0]"]);
    game.press("2");
    game.wait_for(&["drawn: A", "50 cards left", "[1] K", "1 build on 0"]);
    game.press("h");
    game.wait_for(&["%  build on 0"]);
    game.press("h");
    game.wait_until("the hint is gone", |screen| !screen.contains('%'));
    // Down to the second step, and make it.
    game.press("j ");
    game.wait_for(&["drawn: 2", "49 cards left", "[0] A", "[1] K", "move [0] to 0"]);
    game.press("u");
    game.wait_for(&["drawn: A", "50 cards left", "[1] K"]);
    game.wait_until("the ace is taken back", |screen| !screen.contains("[0] A"));
    game.press("\r");
    game.wait_for(&["drawn: 2", "A | 23456789TJQK"]);
    game.press("uu");
    game.wait_for(&["drawn: K", "51 cards left"]);
    game.press("q");
    assert!(game.end().success(), "q quits");
}

#[test]
fn the_strongest_player_wins_more_and_keeps_its_subgames() {
    let (dir, table) = table();
    let cache = dir.path().join("subgames");
    let best = ["--evaluator", "best", "-c", "12", "-m", "10", "--samples", "12", "--json"];
    let best = [&best[..], &["--width", "6", "--cache", cache.to_str().unwrap()]].concat();
    let first = json(&play(&table, &[&best[..], &["--threads", "1"]].concat()));
    assert!(cache.is_file());
    // With all subgames known, and on several threads.
    let again = json(&play(&table, &[&best[..], &["--threads", "3"]].concat()));
    assert_eq!(first[..12], again[..12]);
    let plain = json(&play(&table, &["-c", "12", "-m", "10", "--json"]));
    assert!(first[12]["wins"].as_u64() > plain[12]["wins"].as_u64(), "{first:?} {plain:?}");

    // Weights of another network, and subgames of another width.
    let file = dir.path().join("weights");
    fs::write(&file, [0; 4000]).unwrap();
    let play = || {
        let mut play = retrotab(&["play", "--evaluator", "best", "--table"]);
        play.arg(&table);
        play
    };
    let error = fail(play().arg("--subgame-weights").arg(&file), 2);
    assert!(error.contains("weights: no weights of this evaluator"), "{error}");
    let error = fail(play().args(["--width", "5", "--cache"]).arg(&cache), 2);
    assert!(error.contains("subgames"), "{error}");
    let error = fail(play().args(["--ranks", "7"]), 2);
    assert!(error.contains("no weights are built in"), "{error}");
}

#[test]
fn advice_comes_ranked() {
    let (_dir, table) = table();
    let advise = |input: &str| feed(retrotab(&["advise", "--table"]).arg(&table), input);
    let output = advise(r#"{"built": [1, 0, 0, 0], "stacks": ["KQ", "J", ""], "drawn": "2"}"#);
    assert!(output.status.success());
    let advice: Value = serde_json::from_slice(&output.stdout).unwrap();
    let moves = advice["moves"].as_array().unwrap();
    assert!(moves.len() >= 4, "{advice}");
    let values: Vec<f64> = moves.iter().map(|m| m["log_value"].as_f64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    assert!(moves[0]["steps"][0]["build"].is_number(), "{advice}");
    assert_eq!(moves[0]["pairs"].as_object().unwrap().len(), 6);

    let output = advise(r#"{"built": [1, 0, 0, 0], "stacks": ["KKKKK", "", ""], "drawn": "2"}"#);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("more cards of a rank"));
}

#[test]
fn bad_input_is_named() {
    let (_dir, table) = table();
    let refused = |args: &[&str]| fail(retrotab(&["play"]).args(args), 2);
    let with = |args: &[&str]| {
        let all = [&["--table", table.to_str().unwrap()], args].concat();
        refused(&all)
    };
    assert!(refused(&[]).contains("needs --table"));
    assert!(with(&["-l", "3"]).contains("level 3"));
    assert!(with(&["-m", "0"]).contains("cannot keep 0"));
    assert!(with(&["--stacks", "5"]).contains("5 stacks"));
    assert!(with(&["--ranks", "12"]).contains("12 ranks"));
    assert!(with(&["--stacks", "4"]).contains("the table has 3 stacks, but the game has 4"));
    assert!(with(&["-c", "0"]).contains("0"));
    assert!(with(&["--interactive"]).contains("terminal"));
    let (_sticks_dir, sticks) = folder();
    succeed(&mut run_sticks(4, &sticks, &[]));
    assert!(refused(&["--table", sticks.to_str().unwrap()]).contains("stack tables"));

    let file = table.join("../deals.txt");
    let deals = |line: &str| {
        fs::write(&file, line).unwrap();
        with(&["--deals", file.to_str().unwrap()])
    };
    assert!(deals("A23456789TJQK").contains("line 1: a deal has 52 cards, this one has 13"));
    let good = "A23456789TJQK".repeat(4);
    let error = deals(&format!("{good}\n{}\n", good.replacen('T', "1", 1)));
    assert!(error.contains("line 2: `1` (card 10) is no rank"), "{error}");
    assert!(deals(&good.replacen('T', "J", 1)).contains("4 times T"));
    assert!(deals("\n").contains("there is no deal 0"));
}
