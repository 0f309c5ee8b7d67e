//! `stats` against what the exported lines add up to.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use program::{fail, folder, retrotab, run_stack, run_sticks, succeed};
use serde_json::Value;

const BINS: u64 = 50;

fn stats(table: &Path) -> Value {
    let json = succeed(retrotab(&["stats", "--json"]).arg(table));
    serde_json::from_str(&json).unwrap()
}

/// The lines of a CSV export as words.
fn lines(table: &Path) -> Vec<Vec<String>> {
    let csv = succeed(retrotab(&["export", "--format", "csv"]).arg(table));
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// What the lines of a group add up to.
#[derive(Default)]
struct Sums {
    counted: u64,
    lost: u64,
    won: u64,
    sum: f64,
    bins: BTreeMap<usize, u64>,
}

impl Sums {
    fn add(&mut self, times: u64, value: f64, bin: u64, [lost, won]: [bool; 2]) {
        self.counted += times;
        self.lost += times * u64::from(lost);
        self.won += times * u64::from(won);
        self.sum += times as f64 * value;
        *self.bins.entry(bin as usize).or_default() += times;
    }

    fn check(&self, found: &Value) {
        assert_eq!(found["counted"], self.counted, "{found}");
        assert_eq!((&found["lost"], &found["won"]), (&self.lost.into(), &self.won.into()));
        let mean = found["mean"].as_f64().unwrap();
        assert!((mean - self.sum / self.counted as f64).abs() < 1e-9, "{found}");
        let share = found["won_share"].as_f64().unwrap();
        assert!((share - self.won as f64 / self.counted as f64).abs() < 1e-9, "{found}");
        for (bin, count) in found["histogram"].as_array().unwrap().iter().enumerate() {
            assert_eq!(*count, self.bins.get(&bin).copied().unwrap_or(0), "bin {bin} of {found}");
        }
    }
}

/// The bin of a share, in whole numbers.
fn bin(part: u64, whole: u64) -> u64 {
    (part * BINS / whole).min(BINS - 1)
}

/// All groups, and the whole table, by the name of the group and its sums.
fn check(found: &Value, groups: &BTreeMap<String, Sums>, all: &Sums) {
    let listed = found["groups"].as_array().unwrap();
    assert_eq!(listed.len(), groups.len());
    for group in listed {
        groups[group["name"].as_str().unwrap()].check(group);
    }
    all.check(&found["all"]);
}

#[test]
fn stack_tables_are_counted_by_stock_cards() {
    for rule in ["sorted", "choice"] {
        let (_dir, table) = folder();
        succeed(&mut run_stack(2, 5, &table, &["--rule", rule]));
        let (mut groups, mut all) = (BTreeMap::<String, Sums>::new(), Sums::default());
        for line in lines(&table) {
            let level = line[..2].join("").matches('.').count().to_string();
            let value: u64 = line[2].parse().unwrap();
            let sure = [value == 0, value == 65_535];
            for sums in [groups.entry(level).or_default(), &mut all] {
                sums.add(1, value as f64 / 65_535.0, bin(value, 65_535), sure);
            }
        }
        assert!(all.won > 0);
        let found = stats(&table);
        check(&found, &groups, &all);
        assert_eq!(found["sections"].as_array().unwrap().len(), 21);
        let text = succeed(retrotab(&["stats"]).arg(&table));
        assert!(
            text.contains(&format!("mean       {:.6}", all.sum / all.counted as f64)),
            "{text}"
        );
        assert!(text.contains("section") && text.contains("stock cards"), "{text}");
    }
}

#[test]
fn stick_tables_are_counted_by_sticks() {
    let (_dir, table) = folder();
    succeed(&mut run_sticks(5, &table, &[]));
    let (mut groups, mut all) = (BTreeMap::<String, Sums>::new(), Sums::default());
    for line in lines(&table) {
        let moves: u64 = line[3].parse().unwrap();
        let sure = [line[2] == "loss", line[2] == "win"];
        for sums in [groups.entry(line[0].clone()).or_default(), &mut all] {
            sums.add(1, moves as f64, moves, sure);
        }
    }
    check(&stats(&table), &groups, &all);
}

#[test]
fn hand_tables_are_counted_by_pairs_of_hands() {
    let (_dir, table) = folder();
    succeed(retrotab(&["run", "holdem", "--out"]).arg(&table));
    let hands = |class: &str| match class.as_bytes() {
        [_, _, b's'] => 4,
        [_, _, b'o'] => 12,
        _ => 6,
    };
    let (mut groups, mut all) = (BTreeMap::<String, Sums>::new(), Sums::default());
    for line in lines(&table) {
        let [placements, win, tie, loss] = [4, 5, 6, 7].map(|i| line[i].parse::<u64>().unwrap());
        let (pairs, whole) = (placements * hands(&line[0]), win + tie + loss);
        let both = [(1, win, loss), (3, loss, win)];
        let sides = if line[1] == line[3] { &both[..1] } else { &both[..] };
        for &(name, win, loss) in sides {
            let equity = (2 * win + tie) as f64 / (2 * whole) as f64;
            let sure = [loss == whole, win == whole];
            for sums in [groups.entry(line[name].clone()).or_default(), &mut all] {
                sums.add(pairs, equity, bin(2 * win + tie, 2 * whole), sure);
            }
        }
    }
    let found = stats(&table);
    check(&found, &groups, &all);
    // Every hand has met all 1225 that are disjoint from it, and what one wins another loses.
    assert_eq!(found["all"]["counted"], 1326 * 1225);
    assert_eq!(found["all"]["mean"], 0.5);
    let aces = &found["groups"][0];
    assert_eq!(aces["name"], "AsAh");
    assert!((aces["mean"].as_f64().unwrap() - 0.852037).abs() < 1e-6, "{aces}");
}

#[test]
fn statistics_are_drawn() {
    let (dir, table) = folder();
    succeed(&mut run_stack(2, 4, &table, &[]));
    let plot = |name: &str| {
        let path = dir.path().join(name);
        succeed(retrotab(&["stats"]).arg(&table).arg("--plot").arg(&path));
        fs::read(path).unwrap()
    };
    let svg = String::from_utf8(plot("table.svg")).unwrap();
    for text in ["<svg", "By stock cards", "mean value", "surely lost", "Histogram, mean"] {
        assert!(svg.contains(text), "{text} is not in {svg}");
    }
    assert!(!svg.contains("href") && !svg.contains("NaN"), "{svg}");

    let decoder = png::Decoder::new(std::io::Cursor::new(plot("table.png")));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1100, 420));
    let share = |wanted: fn(&[u8]) -> bool| {
        let number = pixels.chunks(3).filter(|pixel| wanted(pixel)).count();
        number as f64 / (pixels.len() / 3) as f64
    };
    assert!(share(|pixel| pixel == [255, 255, 255]) > 0.5, "the ground is white");
    assert!(share(|pixel| pixel == [0x2b, 0x6c, 0xb0]) > 0.005, "there are bars");
    assert!(share(|pixel| pixel.iter().all(|&part| part < 100)) > 0.003, "there is text");

    for (name, code, what) in
        [("table.gif", 2, "must end in .svg or .png"), ("nowhere/table.svg", 1, "nowhere")]
    {
        let path = dir.path().join(name);
        let error = fail(retrotab(&["stats"]).arg(&table).arg("--plot").arg(&path), code);
        assert!(error.contains(what), "{error}");
    }
    let error = fail(retrotab(&["stats"]).arg(dir.path().join("none")), 2);
    assert!(error.contains("not a table"), "{error}");
}
