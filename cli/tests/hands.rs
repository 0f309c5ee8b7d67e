//! The commands about poker hands.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::fs;

use program::{fail, folder, manifest, retrotab, run_stack, succeed, verified_identity};

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(&mut retrotab(args))).unwrap()
}

#[test]
fn the_holdem_table_is_made_probed_listed_and_exported() {
    let (dir, table) = folder();
    let path = table.to_str().unwrap();
    succeed(&mut retrotab(&["run", "holdem", "--out", path]));
    let identity = verified_identity(&table);
    let manifest = manifest(&table);
    assert_eq!(manifest["table"]["game"], "holdem");
    assert_eq!((&manifest["entries"], &manifest["positions"]), (&14_365.into(), &14_365.into()));
    let names: Vec<_> = fs::read_dir(&table).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 5, "{names:?}");

    let other = dir.path().join("other");
    let args = ["--threads", "1", "--unit-size", "1KiB", "--out"];
    succeed(retrotab(&["run", "holdem"]).args(args).arg(&other));
    assert_eq!(verified_identity(&other), identity);

    for (first, second) in [("AKs", "22"), ("KdAd", "2h2s")] {
        let cell = json(&["probe", path, first, second, "--json"]);
        let expected = [(&cell["wins"], 5_092_608), (&cell["ties"], 66_687)];
        assert!(expected.iter().all(|(found, count)| **found == *count), "{cell}");
        assert_eq!(cell["placements"], 6);
        let turned = json(&["probe", path, second, first, "--json"]);
        assert_eq!(turned["placements"], 4);
        assert_eq!(turned["losses"].as_u64().unwrap() * 6, 5_092_608 * 4);
    }
    let text = succeed(&mut retrotab(&["probe", path, "22", "AKs"]));
    assert!(text.contains("2s2h (22, 6 hands) against AsKs (AKs, 4 hands)"), "{text}");
    assert!(text.contains("equity     0.501067"), "{text}");

    let top = succeed(&mut retrotab(&["top", path, "--n", "3"]));
    let places: Vec<&str> = top.lines().take(3).collect();
    assert!(places[0].contains("AsAh  AA      0.852037"), "{top}");
    assert!(places[1].contains("KK") && places[2].contains("QQ"), "{top}");

    let csv = succeed(&mut retrotab(&["export", path, "--format", "csv"]));
    assert_eq!(csv.lines().count(), 14_366);
    assert_eq!(csv.lines().nth(1), Some("AA,AsAh,AA,AsAh,1,37210,1637884,37210,0.500000"));
    let parquet = dir.path().join("holdem.parquet");
    succeed(retrotab(&["export", path, "--format", "parquet", "--out"]).arg(&parquet));
    let bytes = fs::read(&parquet).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let nowhere = dir.path().join("nowhere/holdem.csv");
    let error = fail(retrotab(&["export", path, "--format", "csv", "--out"]).arg(&nowhere), 1);
    assert!(error.contains("nowhere"), "{error}");

    for (hands, what) in [
        (&["AKs"][..], "not 1"),
        (&["AKs", "AK"], "AsKh"),
        (&["AKs", "AsAs"], "twice"),
        (&["AKs", "AsKsQs"], "3 were given"),
        (&["AKs", "As1s"], "`1`"),
        (&["AKs", "AAs"], "no class"),
    ] {
        let error = fail(retrotab(&["probe", path]).args(hands), 2);
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn commands_for_hand_tables_refuse_others() {
    let (_dir, table) = folder();
    succeed(&mut run_stack(1, 3, &table, &[]));
    let error = fail(retrotab(&["top"]).arg(&table), 2);
    assert!(error.contains("not a hand table"), "{error}");
}

#[test]
fn hands_are_compared_without_a_table() {
    let found = json(&["equity", "AcAs", "KcKs", "--json"]);
    assert_eq!(found["boards"], 1_712_304);
    assert_eq!(found["hands"][0]["wins"], 1_410_336);
    assert_eq!(found["hands"][1]["wins"], 292_660);
    let found = json(&["equity", "AsAhKsKh", "8d7d6c5c", "--json"]);
    assert_eq!(
        (&found["hands"][0]["wins"], &found["boards"]),
        (&635_566.into(), &1_086_008.into())
    );
    // Three hands that play the board.
    let board = ["--board", "AhKhQhJhTh"];
    let tied = json(&[&["equity", "2c3d", "4c5d", "6c7d", "--json"], &board[..]].concat());
    assert_eq!(tied["boards"], 1);
    assert_eq!(tied["hands"][2]["by_winners"], serde_json::json!([0, 0, 1]));
    assert!((tied["hands"][2]["equity"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9);
    let text = succeed(retrotab(&["equity", "2c3d", "4c5d", "6c7d"]).args(board));
    assert!(text.contains("boards 1") && text.contains("equity 0.333333"), "{text}");
}

#[test]
fn cards_are_evaluated() {
    let says = |args: &[&str]| succeed(retrotab(&["evaluate"]).args(args));
    assert!(says(&["5h4d3s2cAs"]).contains("straight  5h4d3s2cAs  (rank 1609 of 7462)"));
    assert!(says(&["AsKs", "QsJsTs2c3d"]).contains("straight flush"));
    let omaha = json(&["evaluate", "Ks8cJs5c", "3s5hQsQd9h", "--json"]);
    assert_eq!((&omaha["rank"], &omaha["category"]), (&2788.into(), &"two pair".into()));
}

#[test]
fn bad_cards_have_exit_code_2() {
    for (args, what) in [
        (&["equity", "AsKs", "AsQs"][..], "As is there twice"),
        (&["equity", "AsKs", "QsQd", "--board", "Ks2d3c"], "Ks is there twice"),
        (&["equity", "AsKs", "QsQd", "--dead", "Qs"], "Qs is there twice"),
        (&["equity", "AsKs", "QsQd", "--board", "2c3c4c", "--dead", "2c"], "2c is there twice"),
        (&["equity", "AsKs", "QsQd", "--board", "2c3c4c5c6c7c"], "at most 5"),
        (&["equity", "AsKsQs", "2c2d2h"], "3 were given"),
        (&["equity", "AsKs", "2c2d2h2s"], "4 were given"),
        (&["equity", "AsKs", "2c2d", "--game", "omaha"], "2 were given"),
        (&["equity", "AsKx", "2c2d"], "no suit"),
        (&["equity", "AsKs"], "2 values"),
        (&["evaluate", "AsKs"], "2 were given"),
        (&["evaluate", "AsKsQsJsTsTs"], "Ts is there twice"),
        (&["evaluate", "AsKsQsJs", "AsTs9s8s7s"], "As is there twice"),
        (&["evaluate", "AsKsQsJs", "Ts9s8s"], "3 were given"),
        (&["evaluate", ""], "no cards"),
    ] {
        let error = fail(&mut retrotab(args), 2);
        assert!(error.contains(what), "{args:?}: {error}");
    }
}
