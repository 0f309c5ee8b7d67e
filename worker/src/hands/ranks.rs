//! How good the ranks of a hand are on every board if flushes are ignored.

use retrotab_tablefmt::hands::{Evaluator, Game, HandRank, Multisets, OmahaEvaluator, RankCounts};

use super::boards::{NO_BOARD, PADDED, Slots};

/// Ranks that beat every flush but straight flushes: quads and full houses. (There are no
/// straight flushes among them.)
pub(super) const WORST_BOAT: u16 = 322;

/// The ranks of one multiset of hole cards on all boards, flushes ignored. Boards that are
/// impossible together with it have some rank.
#[derive(Debug)]
pub(super) struct HandRanks {
    /// By board, in whole vectors.
    pub(super) boards: Vec<u16>,
}

impl HandRanks {
    pub(super) fn new(game: Game, hole: RankCounts) -> Self {
        let slots = Slots::get();
        let mut boards = match game {
            Game::Holdem => holdem(hole, &slots.boards),
            Game::Omaha => omaha(hole, &slots.boards),
        };
        boards.resize(PADDED, HandRank::WORST.0);
        HandRanks { boards }
    }

    /// For each board of [`Slots`], in its order: the rank. Where a vector has no set, a
    /// boat, which counts for nothing where only worse ranks count.
    pub(super) fn by_slot(&self) -> Vec<u16> {
        let sizes = Slots::get().sizes.iter();
        let boards = sizes.flat_map(|size| &size.boards);
        let rank = |&board: &u16| match board {
            NO_BOARD => WORST_BOAT,
            _ => self.boards[usize::from(board)],
        };
        boards.map(rank).collect()
    }
}

fn holdem(hole: RankCounts, boards: &Multisets) -> Vec<u16> {
    let evaluator = Evaluator::get();
    let rank = |board: RankCounts| match hole.plus(board).is_in_deck() {
        true => evaluator.seven_ranks(hole.key().plus(board.key())),
        false => HandRank::WORST,
    };
    boards.iter().map(|(_, board)| rank(board).0).collect()
}

fn omaha(hole: RankCounts, boards: &Multisets) -> Vec<u16> {
    let evaluator = OmahaEvaluator::get();
    let all_pairs = Multisets::new(2);
    let contained = |(_, pair): &(_, RankCounts)| (0..13).all(|r| pair.0[r] <= hole.0[r]);
    let pairs: Vec<usize> =
        all_pairs.iter().filter(contained).map(|(id, _)| usize::from(id.0)).collect();
    let rank = |(id, _)| {
        let on_board = evaluator.pairs_on_board(id);
        pairs.iter().map(|&pair| on_board[pair]).min().unwrap_or(HandRank::WORST.0)
    };
    boards.iter().map(rank).collect()
}
