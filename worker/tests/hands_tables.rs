//! Hand tables against published and reference values, and against themselves.

use retrotab_tablefmt::hands::{
    CardSet, Cell, CellCounts, CellIndex, ClusterId, Clusters, Game, RowBlocks, parse_cards,
};
use retrotab_worker::hands::{HandsUnits, hand_against_hand};
use retrotab_worker::stack::Isa;

fn reference() -> serde_json::Value {
    let json = include_str!("../../tablefmt/tests/reference/hands.json");
    serde_json::from_str(json).unwrap()
}

fn hand(text: &serde_json::Value) -> CardSet {
    CardSet::of(&parse_cards(text.as_str().unwrap()).unwrap()).unwrap()
}

#[test]
fn hands_of_the_reference() {
    let json = reference();
    for (key, game) in [("omaha_hand_vs_hand", Game::Omaha), ("holdem_hand_vs_hand", Game::Holdem)]
    {
        let pairs = json[key].as_array().unwrap();
        assert!(pairs.len() >= 2);
        for pair in pairs {
            let hands = [hand(&pair["hand1"]), hand(&pair["hand2"])];
            for isa in [Isa::Portable, Isa::detect()] {
                let found = hand_against_hand(game, hands, isa).unwrap();
                assert_eq!(pair["win"], found.win, "{pair}");
                assert_eq!(pair["loss"], found.loss, "{pair}");
                assert!(pair["tie"] == found.tie, "{pair}");
                let turned = hand_against_hand(game, [hands[1], hands[0]], isa).unwrap();
                assert_eq!((turned.win, turned.tie), (found.loss, found.tie));
            }
        }
    }
}

#[test]
fn hands_that_cannot_meet_are_refused() {
    let hands = |one: &str, two: &str| [one, two].map(|text| hand(&text.into()));
    let found =
        |game, hands| hand_against_hand(game, hands, Isa::detect()).map_err(|e| e.to_string());
    assert!(found(Game::Holdem, hands("AsKs", "AsQd")).unwrap_err().contains("As is there twice"));
    assert!(found(Game::Holdem, hands("AsKsQs", "AdQd")).unwrap_err().contains("3 were given"));
    assert!(found(Game::Omaha, hands("AsKsQsJs", "AdQd")).unwrap_err().contains("2 were given"));
}

/// The counts of two clusters with the first one's representative fixed.
fn counts(units: &mut HandsUnits, game: Game, first: ClusterId, second: ClusterId) -> CellCounts {
    let clusters = Clusters::get(game);
    let cell = Cell::of(first, second);
    let entry = CellIndex::new(clusters).entry(cell);
    let sections = RowBlocks::all(clusters);
    let section = sections.iter().position(|s| s.cells(clusters).contains(&entry)).unwrap();
    let at = entry - sections[section].cells(clusters).start;
    let solved = units.solve(section, at..at + 1, &()).unwrap();
    let (win, tie, placements) = (solved.win()[0], solved.tie()[0], solved.placements()[0]);
    let stored = CellCounts::from_stored(win, tie, placements, game.boards()).unwrap();
    let hands = |id| clusters.cluster(id).hands();
    match first == cell.row {
        true => stored,
        false => stored.mirrored(hands(cell.row), hands(cell.column)).unwrap(),
    }
}

#[test]
fn cells_of_the_reference() {
    let json = reference();
    for (key, name, game) in
        [("omaha_cluster_cells", "cluster", Game::Omaha), ("holdem_cells", "class", Game::Holdem)]
    {
        let mut units = HandsUnits::new(game, Isa::detect());
        let clusters = Clusters::get(game);
        let cells = json[key].as_array().unwrap();
        assert!(cells.len() >= 5);
        for cell in cells {
            let id = |side| clusters.id_of(hand(&cell[format!("{name}{side}")])).unwrap();
            let found = counts(&mut units, game, id(1), id(2));
            for (key, count) in [
                ("win", found.win),
                ("tie", found.tie),
                ("loss", found.loss),
                ("placements", found.placements),
                ("total", found.win + found.tie + found.loss),
            ] {
                assert_eq!(cell[key], count, "{key} of {cell}");
            }
            if let Some(equity) = cell["equity1"].as_f64() {
                assert!((found.equity().unwrap() - equity).abs() < 1e-6, "{cell}");
            }
            let turned = counts(&mut units, game, id(2), id(1));
            let back =
                turned.mirrored(clusters.cluster(id(2)).hands(), clusters.cluster(id(1)).hands());
            assert_eq!(back, Some(found));
        }
    }
}

/// All values of the hold'em table.
struct Holdem {
    win: Vec<u32>,
    tie: Vec<u32>,
    placements: Vec<u8>,
}

fn holdem(isa: Isa, unit: u64) -> Holdem {
    let mut units = HandsUnits::new(Game::Holdem, isa);
    let mut all = Holdem { win: Vec::new(), tie: Vec::new(), placements: Vec::new() };
    let cells = CellIndex::new(Clusters::get(Game::Holdem)).cells();
    for first in (0..cells).step_by(unit as usize) {
        let solved = units.solve(0, first..(first + unit).min(cells), &()).unwrap();
        all.win.extend_from_slice(solved.win());
        all.tie.extend_from_slice(solved.tie());
        all.placements.extend_from_slice(solved.placements());
    }
    all
}

/// Sums over a game's ordered pairs of hands and all boards, worked out section by section;
/// checks the placements of every row on the way.
fn grand_totals(game: Game, disjoint: u64) -> [u64; 3] {
    let clusters = Clusters::get(game);
    let index = CellIndex::new(clusters);
    let mut units = HandsUnits::new(game, Isa::detect());
    let hands: Vec<u64> = clusters.iter().map(|(_, c)| u64::from(c.hands())).collect();
    let mut pairs = vec![0; clusters.count()];
    let mut sums = [0; 3];
    for (section, blocks) in RowBlocks::all(clusters).iter().enumerate() {
        let cells = blocks.cells(clusters);
        let solved = units.solve(section, 0..cells.end - cells.start, &()).unwrap();
        for row in blocks.rows(clusters) {
            for column in 0..=row {
                let i = (index.row_start(row) - cells.start) as usize + usize::from(column);
                let (win, tie, placed) = (solved.win()[i], solved.tie()[i], solved.placements()[i]);
                let counts = CellCounts::from_stored(win, tie, placed, game.boards()).unwrap();
                let (row, column) = (usize::from(row), usize::from(column));
                let times = |count: u64| count * hands[row];
                pairs[row] += times(counts.placements);
                let (win, tie, loss) = (times(counts.win), times(counts.tie), times(counts.loss));
                // Off the diagonal, the mirrored cell tells of the same pairs turned around.
                let each = if row == column {
                    [win, tie, loss]
                } else {
                    [win + loss, 2 * tie, win + loss]
                };
                if row == column {
                    assert_eq!(win, loss, "a cluster against itself");
                } else {
                    pairs[column] += times(counts.placements);
                    assert!([win, tie, loss].iter().all(|sum| sum.is_multiple_of(hands[column])));
                }
                (0..3).for_each(|k| sums[k] += each[k]);
            }
        }
    }
    let expected = |(&pairs, hands): (&u64, &u64)| pairs == hands * disjoint;
    assert!(pairs.iter().zip(&hands).all(expected), "every hand meets all that are disjoint");
    sums
}

#[test]
#[ignore = "takes a minute; scripts/check-hands compares the same sums of a whole table"]
fn grand_totals_of_omaha() {
    let side = 28_198_973_583_939_140;
    assert_eq!(grand_totals(Game::Omaha, 194_580), [side, 810_424_416_485_720, side]);
}

#[test]
fn grand_totals_of_holdem() {
    let [win, tie, loss] = grand_totals(Game::Holdem, 1225);
    assert_eq!(win, loss);
    assert_eq!(win + tie + loss, 1326 * 1225 * u64::from(Game::Holdem.boards()));
}

#[test]
fn neither_units_nor_threads_nor_instructions_matter() {
    let whole = holdem(Isa::detect(), u64::MAX);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for other in [
        holdem(Isa::Portable, u64::MAX),
        holdem(Isa::detect(), 977),
        one.install(|| holdem(Isa::detect(), 5000)),
    ] {
        assert!(whole.win == other.win && whole.tie == other.tie);
        assert!(whole.placements == other.placements);
    }
}

#[test]
fn omaha_rows_are_the_same_in_any_unit_and_with_any_instructions() {
    let clusters = Clusters::get(Game::Omaha);
    let blocks = RowBlocks::all(clusters);
    let section = blocks.len() / 7;
    let cells = blocks[section].cells(clusters);
    let cells = (cells.end - cells.start).min(300_000);
    let mut fast = HandsUnits::new(Game::Omaha, Isa::detect());
    let mut portable = HandsUnits::new(Game::Omaha, Isa::Portable);
    let whole = fast.solve(section, 0..cells, &()).unwrap();
    let other = portable.solve(section, 1000..60_000, &()).unwrap();
    assert!(whole.win()[1000..60_000] == *other.win());
    assert!(whole.tie()[1000..60_000] == *other.tie());
    assert!(whole.placements()[1000..60_000] == *other.placements());
    let last = fast.solve(section, cells - 1..cells, &()).unwrap();
    assert_eq!(last.win()[0], *whole.win().last().unwrap());
}

#[test]
fn placements_of_omaha_rows_sum_up() {
    // The last rows of the table have nearly all columns; the rest follows by symmetry.
    let clusters = Clusters::get(Game::Omaha);
    let index = CellIndex::new(clusters);
    let mut units = HandsUnits::new(Game::Omaha, Isa::detect());
    let sections = RowBlocks::all(clusters);
    let section = sections.len() - 1;
    let start = sections[section].cells(clusters).start;
    let rows = clusters.count() as u16 - 30..clusters.count() as u16;
    let first = index.row_start(rows.start);
    let solved = units.solve(section, first - start..index.cells() - start, &()).unwrap();
    let hands = |id: u16| u64::from(clusters.cluster(ClusterId(id)).hands());
    for row in rows.clone() {
        let placements = |column: u16| {
            let cell = Cell::of(ClusterId(row), ClusterId(column));
            let placed = u64::from(solved.placements()[(index.entry(cell) - first) as usize]);
            placed * hands(cell.row.0) / hands(row)
        };
        assert_eq!((0..rows.end).map(placements).sum::<u64>(), 194_580);
    }
}
