//! One hand against another over all boards.

use retrotab_tablefmt::hands::{CardSet, Game, HandsError, RankCounts, Suit};

use super::base::PairWeights;
use super::suited::projection;
use super::tables::Hole;
use super::tile::{TileInputs, TileRoom};
use crate::stack::Isa;

/// How one hand does against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairCounts {
    /// Boards that the first wins.
    pub win: u32,
    /// Boards that both share.
    pub tie: u32,
    /// Boards that the second wins.
    pub loss: u32,
}

/// Why two hands cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    /// A hand is none of the game's.
    #[error(transparent)]
    Hand(#[from] HandsError),
}

/// Compares two hands exactly, over all boards, by the tile method.
///
/// # Errors
/// [`PairError`] when a hand has another number of cards than the game's, or they share one.
pub fn hand_against_hand(
    game: Game,
    hands: [CardSet; 2],
    isa: Isa,
) -> Result<PairCounts, PairError> {
    for hand in hands {
        game.check_hand(hand)?;
    }
    hands[1].cards().try_fold(hands[0], CardSet::and)?;
    let holes = hands.map(|hand| Hole::new(game, RankCounts::of(hand.cards())));
    let held = holes[0].counts.plus(holes[1].counts);
    let weights = PairWeights::new(held);
    let projection = projection(held.support());
    let inputs = TileInputs {
        game,
        isa,
        holes: holes.each_ref(),
        factors: weights.factors(),
        projection: &projection,
    };
    let mut room = TileRoom::default();
    let parts = hands.map(|hand| std::array::from_fn(|s| hand.ranks(Suit::new(s))));
    let sum = inputs.solve(&mut room).pair(parts);
    let (win, tie) = (sum.win as u32, sum.tie as u32);
    Ok(PairCounts { win, tie, loss: game.boards() - win - tie })
}
