//! Ranking of the stick game against positions found by playing, and games against the rules.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use retrotab_tablefmt::sticks::{Endings, Games, Outcome, Ranking, Rows, Segments, SticksSpec};

fn ranking(rows: u8) -> std::sync::Arc<Ranking> {
    Ranking::of(SticksSpec { rows: Rows::try_from(rows).unwrap() })
}

/// A board as sets of standing places, row after row, one bit each.
type Bits = u32;

/// All boards that can be reached, by striking every run of sticks there is.
fn boards_by_playing(rows: u32) -> HashSet<Bits> {
    let starts: Vec<u32> = (0..rows).map(|row| row * (row + 1) / 2).collect();
    let whole: Bits = (1 << (rows * (rows + 1) / 2)) - 1;
    let (mut seen, mut open) = (HashSet::from([whole]), vec![whole]);
    while let Some(board) = open.pop() {
        for (&start, length) in starts.iter().zip(1..) {
            for first in 0..length {
                for last in first..length {
                    let run = ((2 << (last - first)) - 1) << (start + first);
                    if board & run == run && seen.insert(board & !run) {
                        open.push(board & !run);
                    }
                }
            }
        }
    }
    seen
}

/// Lengths of the runs of standing sticks, the longest first.
fn lengths(board: Bits, rows: u32) -> Vec<u8> {
    let mut lengths = Vec::new();
    let mut start = 0;
    for row in 1..=rows {
        let bits: String =
            (0..row).map(|i| if board >> (start + i) & 1 == 1 { '|' } else { ' ' }).collect();
        lengths.extend(bits.split_whitespace().map(|run| run.len() as u8));
        start += row;
    }
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths
}

#[test]
fn positions_are_those_that_playing_reaches_in_dictionary_order() {
    for rows in 1..=5 {
        let boards = boards_by_playing(rows);
        assert_eq!(boards.len(), 1 << (rows * (rows + 1) / 2), "any sticks can be left");
        let mut by_sticks: BTreeMap<u8, BTreeSet<Vec<u8>>> = BTreeMap::new();
        for board in boards {
            let lengths = lengths(board, rows);
            by_sticks.entry(lengths.iter().sum()).or_default().insert(lengths);
        }
        let ranking = ranking(rows as u8);
        let mut index = 0;
        for (sticks, positions) in by_sticks {
            assert_eq!(ranking.entries_with(sticks), positions.len() as u64);
            for (inside, lengths) in (0..).zip(positions) {
                let segments: Segments = lengths.iter().copied().collect();
                assert_eq!(ranking.rank(&segments), Some(index), "{segments}");
                assert_eq!(ranking.unrank(index), Some(segments));
                assert_eq!(ranking.unrank_in_section(sticks, inside), segments);
                index += 1;
            }
        }
        assert_eq!(ranking.entries(), index, "{rows} rows");
        assert_eq!(ranking.unrank(index), None);
        assert_eq!(ranking.unrank(u64::MAX), None);
    }
}

/// Whether segments fit on rows with these places left, each with a gap behind it, by trying
/// every row for each; `failed` remembers what did not work.
fn fits(lengths: &[u8], mut places: Vec<u8>, failed: &mut HashSet<(usize, Vec<u8>)>) -> bool {
    let Some((&length, rest)) = lengths.split_first() else { return true };
    places.sort_unstable();
    if failed.contains(&(rest.len(), places.clone())) {
        return false;
    }
    let fit = (0..places.len()).filter(|&row| places[row] > length).any(|row| {
        let mut left = places.clone();
        left[row] -= length + 1;
        fits(rest, left, failed)
    });
    if !fit {
        failed.insert((rest.len(), places));
    }
    fit
}

fn partitions(sticks: u8, longest: u8, so_far: &mut Vec<u8>, found: &mut impl FnMut(&[u8])) {
    if sticks == 0 {
        return found(so_far);
    }
    for length in 1..=longest.min(sticks) {
        so_far.push(length);
        partitions(sticks - length, length, so_far, found);
        so_far.pop();
    }
}

#[test]
fn positions_are_those_that_fit_on_the_rows() {
    for rows in 6..=7 {
        let ranking = ranking(rows);
        let mut index = 0;
        for sticks in 0..=rows * (rows + 1) / 2 + 1 {
            partitions(sticks, rows + 1, &mut Vec::new(), &mut |lengths| {
                let segments: Segments = lengths.iter().copied().collect();
                let fit = fits(lengths, (2..=rows + 1).collect(), &mut HashSet::new());
                assert_eq!(ranking.rank(&segments), fit.then_some(index), "{rows}: {segments}");
                index += u64::from(fit);
            });
        }
        assert_eq!(ranking.entries(), index);
    }
}

#[test]
fn every_rank_of_a_large_table_comes_back() {
    let ranking = ranking(9);
    assert_eq!(ranking.entries(), 69_512);
    for index in 0..ranking.entries() {
        let segments = ranking.unrank(index).unwrap();
        assert_eq!(ranking.rank(&segments), Some(index), "{segments}");
    }
}

#[test]
fn the_largest_table_is_ranked() {
    let ranking = ranking(12);
    let (last, start) = (ranking.entries() - 1, Segments::start(Rows::try_from(12).unwrap()));
    assert_eq!(ranking.rank(&start), Some(last));
    assert_eq!(ranking.rank(&Segments::NONE), Some(0));
    for index in (0..ranking.entries()).step_by(997) {
        let segments = ranking.unrank(index).unwrap();
        assert_eq!(ranking.rank(&segments), Some(index), "{segments}");
        for played in segments.moves() {
            assert!(ranking.rank(&segments.after(played)).unwrap() < index, "{segments}");
        }
    }
}

/// With two rows: `|` and `||`. Either player may strike the single stick, one of the two, or
/// both of the two.
#[test]
fn the_games_of_two_rows() {
    let games = |endings| -> Vec<(String, Outcome)> {
        let games = Games::new(Rows::try_from(2).unwrap(), endings);
        let moves = |strikes: Vec<_>| strikes.iter().map(ToString::to_string).collect::<String>();
        games.map(|game| (moves(game.strikes), game.first_player)).collect()
    };
    let lost = |text: &str| (text.to_owned(), Outcome::Loss);
    let won = |text: &str| (text.to_owned(), Outcome::Win);
    let sensible = [
        lost("[1,1,0][2,1,0]"),
        lost("[1,1,0][2,2,0]"),
        lost("[2,1,0][1,1,0]"),
        lost("[2,1,0][2,2,0]"),
        won("[2,1,1]"),
        lost("[2,2,0][1,1,0]"),
        lost("[2,2,0][2,1,0]"),
    ];
    assert_eq!(games(Endings::Sensible), sensible);
    let mut all = sensible.to_vec();
    all.insert(1, won("[1,1,0][2,1,1]"));
    assert_eq!(games(Endings::All), all);
}

#[test]
fn with_one_stick_the_game_is_over() {
    for endings in [Endings::Sensible, Endings::All] {
        let games: Vec<_> = Games::new(Rows::try_from(1).unwrap(), endings).collect();
        assert_eq!(games.len(), 1);
        assert!(games[0].strikes.is_empty() && games[0].first_player == Outcome::Loss);
    }
}

/// Counts games by playing them on bits, one stick or none being the end.
fn count_games(board: Bits, rows: u32, first_to_move: bool, all: bool) -> [u64; 2] {
    let mut count = [0; 2];
    let mut start = 0;
    for length in 1..=rows {
        for first in 0..length {
            for last in first..length {
                let run = ((2 << (last - first)) - 1) << (start + first);
                if board & run != run {
                    continue;
                }
                let after = board & !run;
                match after.count_ones() {
                    // The player who moved has lost, or the one who has to move now.
                    0 if all => count[usize::from(!first_to_move)] += 1,
                    0 => {}
                    1 => count[usize::from(first_to_move)] += 1,
                    _ => {
                        let more = count_games(after, rows, !first_to_move, all);
                        count = [count[0] + more[0], count[1] + more[1]];
                    }
                }
            }
        }
        start += length;
    }
    count
}

#[test]
fn the_games_of_three_rows_are_as_many_as_playing_finds() {
    for (endings, all) in [(Endings::Sensible, false), (Endings::All, true)] {
        let mut found = [0; 2];
        let mut before = None;
        for game in Games::new(Rows::try_from(3).unwrap(), endings) {
            found[usize::from(game.first_player == Outcome::Win)] += 1;
            let moves: Vec<_> = game.strikes.iter().map(|s| (s.row, s.first, s.further)).collect();
            assert!(before.as_ref() < Some(&moves), "in order, and no game twice");
            before = Some(moves);
        }
        assert_eq!(found, count_games(0b11_1111, 3, true, all));
    }
}
