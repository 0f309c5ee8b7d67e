//! Playing a deal to its end.

use crate::board::Board;
use crate::deal::Deal;
use crate::evaluator::Evaluator;
use crate::game::{Foundation, Game, Rank};
use crate::rules::{Position, Start, Step, StepError};
use crate::search::{Player, Settings};

/// What happened at one draw.
#[derive(Debug)]
pub struct Turn<'a> {
    /// Which draw, from 1.
    pub number: usize,
    /// The drawn card.
    pub drawn: Rank,
    /// What the player did.
    pub steps: &'a [Step],
    /// The best assignment after that.
    pub board: &'a Board,
    /// Its value: the natural logarithm of a chance.
    pub value: f32,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Whether all cards were built.
    pub won: bool,
    /// Cards built when the game was over.
    pub built: usize,
}

/// Plays a deal and tells of each draw. The game is over when the stock is empty or when every
/// way to go on is deadlocked.
///
/// # Errors
/// The rules are kept apart from the search and check every step; an error is a bug of it.
pub fn play(
    evaluator: &dyn Evaluator,
    settings: Settings,
    (game, start): (Game, Start),
    deal: &Deal,
    mut each: impl FnMut(&Turn),
) -> Result<Outcome, StepError> {
    let mut position = Position::start(game, start);
    let mut player = Player::new(evaluator, settings, Board::start(game, start));
    for (number, &drawn) in deal.cards().iter().enumerate() {
        position.draw(drawn)?;
        let Some(steps) = player.draw(drawn) else { break };
        for &step in &steps {
            position.make(step)?;
        }
        let board = &player.boards()[0];
        each(&Turn { number: number + 1, drawn, steps: &steps, board, value: player.value() });
    }
    let built = Foundation::ALL.map(|f| position.built(f)).iter().sum();
    Ok(Outcome { won: position.is_won(), built })
}
