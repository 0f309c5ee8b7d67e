//! The stick game's solver against searches written from the rules, and against the theory of
//! misere Nim.

use std::collections::HashMap;

use rayon::ThreadPoolBuilder;
use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::sticks::{Outcome, Ranking, Rows, Segments, SticksSpec};
use retrotab_worker::sticks::{SticksUnits, WholeTable};
use retrotab_worker::{Progress, SolveError, ValueSource};

fn spec(rows: u8) -> SticksSpec {
    SticksSpec { rows: Rows::try_from(rows).unwrap() }
}

/// Every position of a table that has at most so many sticks: its lengths, and what the table
/// says of it.
fn for_each(rows: u8, most: u8, mut see: impl FnMut(Vec<u8>, Said)) {
    let table = WholeTable::solve(spec(rows), most);
    let end = most.min(spec(rows).rows.sticks());
    for sticks in 0..=end {
        let ranking = table.ranking();
        for (index, &moves) in (0..).zip(table.level(sticks).unwrap()) {
            let position = ranking.unrank_in_section(sticks, index);
            let value = table.value(&position).unwrap();
            assert_eq!(value.moves(), moves);
            let wins = value.outcome() == Outcome::Win;
            see(position.lengths().collect(), Said { wins, moves: moves.into() });
        }
    }
}

/// Whether the player to move wins, and the number of moves to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Said {
    wins: bool,
    moves: u32,
}

/// What is best when the positions after the moves are like this: the rules of the game, and
/// that a winner wants a short game and a loser a long one.
fn judge(after: &[Said]) -> Said {
    if after.is_empty() {
        // The other player struck the last stick.
        return Said { wins: true, moves: 0 };
    }
    let lost = after.iter().filter(|said| !said.wins).map(|said| said.moves).min();
    match lost {
        Some(moves) => Said { wins: true, moves: moves + 1 },
        None => {
            let longest = after.iter().map(|said| said.moves).max().unwrap();
            Said { wins: false, moves: longest + 1 }
        }
    }
}

/// Searches on lists of lengths.
#[derive(Default)]
struct ListSearch(HashMap<Vec<u8>, Said>);

impl ListSearch {
    fn judge(&mut self, mut lengths: Vec<u8>) -> Said {
        lengths.retain(|&length| length > 0);
        lengths.sort_unstable();
        if let Some(&known) = self.0.get(&lengths) {
            return known;
        }
        let mut after = Vec::new();
        for i in 0..lengths.len() {
            for first in 0..lengths[i] {
                for last in first..lengths[i] {
                    let mut left = lengths.clone();
                    left[i] = first;
                    left.push(lengths[i] - 1 - last);
                    after.push(self.judge(left));
                }
            }
        }
        let said = judge(&after);
        self.0.insert(lengths, said);
        said
    }
}

#[test]
fn every_position_of_up_to_15_sticks() {
    let mut search = ListSearch::default();
    for rows in [5, 8, 12] {
        let mut checked = 0;
        for_each(rows, 15, |lengths, said| {
            assert_eq!(search.judge(lengths.clone()), said, "{rows} rows: {lengths:?}");
            checked += 1;
        });
        assert!(checked > 200, "{rows} rows: {checked} positions");
    }
}

/// Searches on rows of sticks, where a move strikes neighbours in one row.
struct BoardSearch {
    rows: u32,
    known: Vec<Option<Said>>,
}

impl BoardSearch {
    fn judge(&mut self, board: usize) -> Said {
        if let Some(known) = self.known[board] {
            return known;
        }
        let mut after = Vec::new();
        let mut start = 0;
        for row in 1..=self.rows {
            for first in start..start + row {
                let mut left = board;
                for stick in first..start + row {
                    if left >> stick & 1 == 0 {
                        break;
                    }
                    left &= !(1 << stick);
                    after.push(self.judge(left));
                }
            }
            start += row;
        }
        let said = judge(&after);
        self.known[board] = Some(said);
        said
    }
}

fn lengths_of(board: usize, rows: u32) -> Segments {
    let mut lengths = Vec::new();
    let mut start = 0;
    for row in 1..=rows {
        let mut run = 0;
        for stick in start..start + row {
            if board >> stick & 1 == 1 {
                run += 1;
            } else {
                lengths.push(run);
                run = 0;
            }
        }
        lengths.push(run);
        start += row;
    }
    lengths.into_iter().collect()
}

#[test]
fn every_board_of_up_to_5_rows() {
    for rows in 1..=5 {
        let boards = 1 << (rows * (rows + 1) / 2);
        let mut search = BoardSearch { rows, known: vec![None; boards] };
        let table = WholeTable::solve(spec(rows as u8), u8::MAX);
        for board in 0..boards {
            let position = lengths_of(board, rows);
            let value = table.value(&position).unwrap();
            let wins = value.outcome() == Outcome::Win;
            let said = Said { wins, moves: value.moves().into() };
            assert_eq!(said, search.judge(board), "{rows} rows: {position}");
        }
    }
}

/// Lost exactly when all lengths are 1 and their number is odd, or some length is more and the
/// exclusive or of all is 0.
fn lost_at_nim(lengths: &[u8]) -> bool {
    if lengths.iter().all(|&length| length == 1) {
        lengths.len() % 2 == 1
    } else {
        lengths.iter().fold(0, |xor, length| xor ^ length) == 0
    }
}

#[test]
fn every_position_of_up_to_40_sticks_is_misere_nim() {
    for rows in [8, 12] {
        let mut checked = 0;
        for_each(rows, 40, |lengths, said| {
            assert_eq!(said.wins, !lost_at_nim(&lengths), "{rows} rows: {lengths:?}");
            checked += 1;
        });
        let ranking = Ranking::of(spec(rows));
        let expected: u64 = (0..=40).map(|sticks| ranking.entries_with(sticks)).sum();
        assert_eq!(checked, expected, "{rows} rows");
    }
}

#[test]
fn the_first_player_loses_with_1_3_7_and_11_rows() {
    let lost = |&rows: &u8| {
        let table = WholeTable::solve(spec(rows), u8::MAX);
        let start = table.value(&Segments::start(spec(rows).rows)).unwrap();
        start.outcome() == Outcome::Loss
    };
    assert_eq!((1..=11).filter(lost).collect::<Vec<u8>>(), [1, 3, 7, 11]);
}

/// The levels solved so far.
struct Solved(Vec<Vec<u8>>);

impl ValueSource for Solved {
    fn read(
        &self,
        section: SectionId,
        column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(column, 0);
        let level = self.0.get(section.0 as usize).ok_or("not solved yet")?;
        out.copy_from_slice(&level[from as usize..][..out.len()]);
        Ok(())
    }
}

/// All values, solved in units of at most `unit` entries.
fn in_units(rows: u8, unit: u64) -> Vec<Vec<u8>> {
    let mut units = SticksUnits::new(spec(rows), 1 << 30);
    let mut solved = Solved(Vec::new());
    for sticks in 0..=spec(rows).rows.sticks() {
        let entries = Ranking::of(spec(rows)).entries_with(sticks);
        let mut level = Vec::new();
        for first in (0..entries).step_by(unit as usize) {
            let range = first..(first + unit).min(entries);
            level.extend(units.solve(SectionId(sticks.into()), range, &solved, &()).unwrap());
        }
        solved.0.push(level);
    }
    solved.0
}

#[test]
fn any_way_of_running_makes_the_same_table() {
    for rows in [4, 8] {
        let whole = WholeTable::solve(spec(rows), u8::MAX);
        let whole: Vec<_> = (0..).map_while(|sticks| whole.level(sticks)).collect();
        for threads in [1, 2, 5] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for unit in [7, 1000, 1025, 1 << 40] {
                let found = pool.install(|| in_units(rows, unit));
                assert!(found == whole, "{rows} rows, {threads} threads, units of {unit}");
            }
        }
    }
}

#[test]
fn units_in_any_order_give_the_same_values() {
    let levels = in_units(6, 1 << 40);
    let solved = Solved(levels.clone());
    let mut units = SticksUnits::new(spec(6), 1 << 30);
    for sticks in [21_u8, 3, 0, 9, 10, 8, 20, 1] {
        let entries = levels[usize::from(sticks)].len() as u64;
        let values = units.solve(SectionId(u32::from(sticks)), 0..entries, &solved, &()).unwrap();
        assert_eq!(values, levels[usize::from(sticks)], "{sticks} sticks");
    }
}

/// Stops at once.
struct Stopped;

impl Progress for Stopped {
    fn advance(&self, _positions: u64) {}

    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn what_goes_wrong_is_named() {
    let source = Solved(vec![vec![0]]);
    let mut units = SticksUnits::new(spec(6), 1 << 30);
    let error = units.solve(SectionId(5), 0..1, &source, &()).unwrap_err().to_string();
    assert!(error.contains("section 5") && error.contains("not solved yet"), "{error}");
    let stopped = units.solve(SectionId(1), 0..1, &source, &Stopped);
    assert!(matches!(stopped, Err(SolveError::Stopped)));
    let mut units = SticksUnits::new(spec(6), 1 << 20);
    let error = units.solve(SectionId(1), 0..1, &source, &()).unwrap_err().to_string();
    assert!(error.contains("--memory"), "{error}");
}
