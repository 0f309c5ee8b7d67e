//! Choosing moves: a beam of assignments, local search over labels, look-ahead.

mod assign;
mod candidates;
mod ending;
mod lookahead;

use thiserror::Error;

use crate::board::Board;
use crate::evaluator::Evaluator;
use crate::game::Rank;
use crate::rules::Step;
pub use assign::{Assigned, assignments};
use candidates::Candidates;
pub use ending::winning_steps;

/// How hard a player thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Draws that are looked ahead.
    level: usize,
    /// Assignments that are kept.
    kept: usize,
    /// Leading boards that are improved by exchanges at each draw.
    improved: usize,
}

/// Settings that no player has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// Too many draws ahead.
    #[error("level {0} would take forever: look ahead 0 to {max} draws", max = Settings::MAX_LEVEL)]
    Level(usize),
    /// No assignments, or too many.
    #[error("cannot keep {0} assignments: keep 1 to {max}", max = Settings::MAX_KEPT)]
    Kept(usize),
}

impl Settings {
    /// Most draws that are looked ahead.
    pub const MAX_LEVEL: usize = 2;
    /// Most assignments that are kept.
    pub const MAX_KEPT: usize = 100_000;
    /// Leading boards that are improved by exchanges at each draw.
    const IMPROVED: usize = 3;

    /// A player that looks `level` draws ahead and keeps `kept` assignments.
    ///
    /// # Errors
    /// [`SettingsError`] if the level is above 2, or `kept` is not 1 to 100,000.
    pub fn new(level: usize, kept: usize) -> Result<Self, SettingsError> {
        if level > Self::MAX_LEVEL {
            return Err(SettingsError::Level(level));
        }
        if !(1..=Self::MAX_KEPT).contains(&kept) {
            return Err(SettingsError::Kept(kept));
        }
        Ok(Self { level, kept, improved: Self::IMPROVED })
    }

    /// A player that is fast: no look-ahead, no exchanges.
    pub fn fast(kept: usize) -> Self {
        Self { level: 0, kept: kept.clamp(1, Self::MAX_KEPT), improved: 0 }
    }
}

/// Layouts of the table that are compared by look-ahead at the most.
const LOOKED_AT: usize = 6;
/// Rounds of exchanges at the most.
const ROUNDS: usize = 3;

/// Candidates that leave the same cards on the table, best first.
struct Layout {
    members: Vec<usize>,
}

/// A player in a game.
pub struct Player<'a> {
    evaluator: &'a dyn Evaluator,
    settings: Settings,
    /// The kept boards, best first. All look alike.
    beam: Vec<Board>,
    /// Room for candidates, used again at each draw.
    candidates: Candidates,
    value: f32,
}

/// Something that can be done with a drawn card.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The steps.
    pub steps: Vec<Step>,
    /// The best assignment after that.
    pub board: Board,
    /// What it is worth: the natural logarithm of a chance.
    pub value: f32,
}

impl<'a> Player<'a> {
    /// A player that goes on from a board.
    pub fn new(evaluator: &'a dyn Evaluator, settings: Settings, board: Board) -> Self {
        Self::with_boards(evaluator, settings, vec![board])
    }

    /// A player that goes on from boards that look alike.
    pub fn with_boards(
        evaluator: &'a dyn Evaluator,
        settings: Settings,
        boards: Vec<Board>,
    ) -> Self {
        let candidates = Candidates::default();
        Self { evaluator, settings, beam: boards, candidates, value: 0.0 }
    }

    /// The kept boards, best first; empty when the game is lost.
    pub fn boards(&self) -> &[Board] {
        &self.beam
    }

    /// The value of the best board: a natural logarithm.
    pub fn value(&self) -> f32 {
        self.value
    }

    /// Decides what to do with a drawn card. `None` when every way is deadlocked: the game is
    /// lost.
    pub fn draw(&mut self, rank: Rank) -> Option<Vec<Step>> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let layouts = self.consider(&mut candidates, rank, 1);
        self.beam.clear();
        let steps = layouts.first().map(|(layout, _)| {
            let best = layout.members[0];
            self.value = candidates.values[best];
            for &member in &layout.members {
                let board = candidates.boards[member];
                if self.beam.len() < self.settings.kept && !self.beam.contains(&board) {
                    self.beam.push(board);
                }
            }
            candidates.plays[best].steps()
        });
        self.candidates = candidates;
        steps
    }

    /// What can be done with a drawn card, the best first.
    pub fn choices(&self, rank: Rank) -> Vec<Choice> {
        let mut candidates = Candidates::default();
        let layouts = self.consider(&mut candidates, rank, usize::MAX);
        let choice = |(layout, value): &(Layout, f32)| {
            let best = layout.members[0];
            let steps = candidates.plays[best].steps();
            Choice { steps, board: candidates.boards[best], value: *value }
        };
        layouts.iter().map(choice).collect()
    }

    /// Extends the beam by a drawn card. Gives what can be left on the table, best first, with
    /// its value; the first `improved` of them have been improved by exchanges.
    fn consider(
        &self,
        candidates: &mut Candidates,
        rank: Rank,
        improved: usize,
    ) -> Vec<(Layout, f32)> {
        for board in &self.beam {
            candidates.extend(board, rank);
        }
        candidates.evaluate(self.evaluator);
        let first = layouts(candidates);
        for layout in first.iter().take(improved) {
            for &leader in layout.members.iter().take(self.settings.improved) {
                self.climb(candidates, leader);
            }
        }
        let layouts = layouts(candidates);
        let value = |layout: &Layout| candidates.values[layout.members[0]];
        if self.settings.level == 0 {
            return layouts
                .into_iter()
                .map(|layout| {
                    let v = value(&layout);
                    (layout, v)
                })
                .collect();
        }
        self.look_ahead(candidates, layouts)
    }

    /// Makes the best exchange while it is an improvement, and adds what comes out.
    fn climb(&self, candidates: &mut Candidates, from: usize) {
        let (mut board, mut play) = (candidates.boards[from], candidates.plays[from]);
        let mut value = candidates.values[from];
        let mut trials = Candidates::default();
        for _ in 0..ROUNDS {
            trials.clear();
            trials.exchange(&board, &play);
            trials.evaluate(self.evaluator);
            let Some(best) = trials.best().filter(|&best| trials.values[best] > value) else {
                return;
            };
            (board, play, value) = (trials.boards[best], trials.plays[best], trials.values[best]);
            candidates.add(board, play, value);
        }
    }

    /// Orders the leading layouts by their prospects after further draws; the others are left
    /// out.
    fn look_ahead(&self, candidates: &Candidates, layouts: Vec<Layout>) -> Vec<(Layout, f32)> {
        let prospects = layouts.into_iter().take(LOOKED_AT).map(|layout| {
            let boards = layout.members.iter().map(|&member| candidates.boards[member]);
            let boards: Vec<Board> = boards.take(lookahead::WIDTH).collect();
            let prospect = lookahead::prospect(self.evaluator, &boards, self.settings.level);
            (layout, prospect.ln() as f32)
        });
        let mut prospects: Vec<(Layout, f32)> = prospects.collect();
        prospects.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        prospects
    }
}

/// Candidates by what they leave on the table, the best layout first.
fn layouts(candidates: &Candidates) -> Vec<Layout> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.retain(|&at| candidates.values[at] > f32::NEG_INFINITY);
    order.sort_by(|&a, &b| candidates.values[b].total_cmp(&candidates.values[a]));
    let mut layouts: Vec<Layout> = Vec::new();
    for at in order {
        let board = &candidates.boards[at];
        let known = layouts
            .iter_mut()
            .find(|layout| candidates.boards[layout.members[0]].looks_like(board));
        match known {
            Some(layout) => layout.members.push(at),
            None => layouts.push(Layout { members: vec![at] }),
        }
    }
    layouts
}
