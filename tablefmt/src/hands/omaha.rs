//! The rank of an Omaha hand: the best five of exactly two hole cards and three board cards.
//!
//! Without flushes, the rank depends on the ranks of two hole cards and of the board alone. A
//! table has it for all 91 pairs of ranks and 6,175 boards; the hand's rank is the best of its
//! six pairs. A flush needs three board cards and two hole cards of a suit.

use std::sync::LazyLock;

use super::card::{Card, RANKS, Rank};
use super::evaluator::{Evaluator, RankKey};
use super::multiset::{MultisetId, Multisets, RankCounts};
use super::perfect::PerfectIndex;
use super::rank::HandRank;

/// Multisets of two ranks, rounded up to whole vectors.
pub const PAIRS: usize = 96;

/// Looks up the rank of Omaha hands. The tables take about 1.2 MiB.
#[derive(Debug)]
pub struct OmahaEvaluator {
    five: &'static Evaluator,
    /// From the key of a board's ranks to its number.
    boards: PerfectIndex<8192, 2048>,
    /// By two ranks, times 16 and plus: the number of the pair.
    pairs: [u8; 256],
    /// By board and pair: the best rank without flushes.
    best: Vec<[u16; PAIRS]>,
}

impl OmahaEvaluator {
    /// The evaluator, made when it is first asked for.
    pub fn get() -> &'static OmahaEvaluator {
        static EVALUATOR: LazyLock<OmahaEvaluator> = LazyLock::new(OmahaEvaluator::new);
        &EVALUATOR
    }

    fn new() -> Self {
        let five = Evaluator::get();
        let (pairs, triples, boards) = (Multisets::new(2), Multisets::new(3), Multisets::new(5));
        let of_triple: Vec<[u16; PAIRS]> =
            triples.iter().map(|(_, triple)| with_pairs(five, &pairs, triple)).collect();
        let best = boards.iter().map(|(_, board)| {
            let mut best = [HandRank::WORST.0; PAIRS];
            for triple in triples_of(board) {
                let id = triples.id(triple).expect("three cards");
                let other = &of_triple[usize::from(id.0)];
                best.iter_mut().zip(other).for_each(|(best, &rank)| *best = rank.min(*best));
            }
            best
        });
        let best = best.collect();
        let keys: Vec<(u32, u16)> = boards.iter().map(|(id, c)| (c.key().0, id.0)).collect();
        let mut pair_ids = [0; 256];
        for (id, counts) in pairs.iter() {
            let ranks: Vec<usize> = counts.ranks().map(Rank::number).collect();
            pair_ids[ranks[0] << 4 | ranks[1]] = id.0 as u8;
            pair_ids[ranks[1] << 4 | ranks[0]] = id.0 as u8;
        }
        let boards = PerfectIndex::new(&keys).expect("a table of boards");
        OmahaEvaluator { five, boards, pairs: pair_ids, best }
    }

    /// The rank of a hand on a board. The nine cards must differ.
    #[inline]
    pub fn rank(&self, hole: &[Card; 4], board: &[Card; 5]) -> HandRank {
        let key = board.iter().fold(RankKey::default(), |key, card| key.with(card.rank()));
        let best = &self.best[usize::from(self.boards.get(key.0))];
        let rank = |a: usize, b: usize| {
            let pair = hole[a].rank().number() << 4 | hole[b].rank().number();
            best[usize::from(self.pairs[pair & 255]) % PAIRS]
        };
        let pairs = [rank(0, 1), rank(0, 2), rank(0, 3), rank(1, 2), rank(1, 3), rank(2, 3)];
        let rank = HandRank(pairs.into_iter().fold(HandRank::WORST.0, u16::min));
        // At most one suit has three of five cards; then this is that suit's number.
        let counters = board.iter().map(|card| 1_u32 << (4 * card.suit().number())).sum::<u32>();
        let three = (counters + 0x5555) & 0x8888;
        if three == 0 {
            return rank;
        }
        let suit = three.trailing_zeros() / 4;
        let ranks = |cards: &[Card]| {
            let of_suit = |card: &Card| u16::from(card.suit().number() as u32 == suit);
            cards.iter().fold(0, |ranks, c| ranks | of_suit(c) << c.rank().number())
        };
        let hole = ranks(hole);
        if hole & hole.wrapping_sub(1) == 0 {
            rank
        } else {
            rank.min(self.flush(hole, ranks(board)))
        }
    }

    /// The best flush of two of the hole cards and three of the board cards of a suit, at least
    /// so many of each, given as bits.
    pub fn flush(&self, hole: u16, board: u16) -> HandRank {
        let mut best = HandRank::WORST;
        each_subset(hole, 2, &mut |two| {
            each_subset(board, 3, &mut |three| best = best.min(self.five.flush(two | three)));
        });
        best
    }

    /// By the number of a pair ([`Multisets`] of two): the best rank without flushes of this
    /// pair on a board, given by its number among the multisets of five.
    pub fn pairs_on_board(&self, board: MultisetId) -> &[u16; PAIRS] {
        &self.best[usize::from(board.0)]
    }
}

/// Calls `each` with every subset of `set` of so many elements.
fn each_subset(set: u16, size: u32, each: &mut dyn FnMut(u16)) {
    if set.count_ones() == size {
        return each(set);
    }
    let mut subset = set;
    while subset != 0 {
        if subset.count_ones() == size {
            each(subset);
        }
        subset = (subset - 1) & set;
    }
}

/// The ranks of three board cards with each pair of hole cards' ranks.
fn with_pairs(five: &Evaluator, pairs: &Multisets, triple: RankCounts) -> [u16; PAIRS] {
    let mut ranks = [HandRank::WORST.0; PAIRS];
    for (id, pair) in pairs.iter() {
        let all = triple.plus(pair);
        if all.is_in_deck() {
            ranks[usize::from(id.0)] = five.five_ranks(all.key()).0;
        }
    }
    ranks
}

/// The different triples of five ranks.
fn triples_of(board: RankCounts) -> impl Iterator<Item = RankCounts> {
    let has = move |r: &usize| board.0[*r] > 0;
    let pairs = (0..RANKS).filter(has).flat_map(move |a| (a..RANKS).map(move |b| (a, b)));
    let two = pairs.filter(move |&(a, b)| board.0[b] > u8::from(a == b));
    two.map(move |(a, b)| board.without(a).without(b))
}
