//! One tile: everything about hands of two multisets of ranks.

use retrotab_tablefmt::hands::Game;

use super::base::{Base, Factors, WinTie};
use super::holdem::HoldemSuited;
use super::placements::{Permanents, matrix, total};
use super::straight_flush::{BoatCache, Leader, Rivals};
use super::suited::{Outcomes, Suited, SuitedRoom};
use super::tables::{ClusterParts, Hole, side_by_side};
use crate::stack::simd::{Isa, dispatch};

/// Subsets of the different ranks of a hand.
const HELD_SETS: usize = 16;

/// Room for tiles, one after the other.
#[derive(Debug, Default)]
pub(super) struct TileRoom {
    suited: SuitedRoom,
    boats: BoatCache,
    differences: Differences,
}

/// By what each hand holds of a suit, each as bits side by side: what flushes change.
#[derive(Debug)]
struct Differences([[WinTie; HELD_SETS]; HELD_SETS]);

impl Default for Differences {
    fn default() -> Self {
        Differences([[WinTie::default(); HELD_SETS]; HELD_SETS])
    }
}

/// What a tile is about.
pub(super) struct TileInputs<'a> {
    pub(super) game: Game,
    pub(super) isa: Isa,
    /// The two multisets, which together hold at most four cards of each rank.
    pub(super) holes: [&'a Hole; 2],
    pub(super) factors: Factors<'a>,
    /// The projection on the ranks held; for Omaha.
    pub(super) projection: &'a [u8],
}

/// A tile that has been worked out.
pub(super) struct Tile<'a> {
    base: WinTie,
    differences: &'a Differences,
}

/// A cell's values: sums over placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CellValues {
    pub(super) win: u32,
    pub(super) tie: u32,
    pub(super) placements: u8,
}

/// A set of ranks that a hand may hold of a suit.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    /// As bits.
    ranks: u16,
    /// As bits side by side for the ranks of both hands.
    place: u8,
}

/// All subsets of a multiset's ranks, and how many there are.
fn held_sets(support: u16, both: u16) -> ([Held; HELD_SETS], usize) {
    let mut sets = [Held::default(); HELD_SETS];
    let mut count = 1;
    let mut left = support;
    while left != 0 {
        let rank = left & left.wrapping_neg();
        left ^= rank;
        let place = 1 << (both & (rank - 1)).count_ones();
        for i in 0..count {
            let Held { ranks, place: others } = sets[i];
            sets[count + i] = Held { ranks: ranks | rank, place: others | place };
        }
        count *= 2;
    }
    (sets, count)
}

impl<'a> TileInputs<'a> {
    /// Works the tile out.
    pub(super) fn solve(&self, room: &'a mut TileRoom) -> Tile<'a> {
        let [first, second] = self.holes;
        let ranks = Base { first: &first.boards, second: &second.boards, factors: self.factors };
        let base = dispatch(self.isa, ranks);
        match self.game {
            Game::Holdem => self.holdem(&mut room.differences),
            Game::Omaha => self.omaha(room),
        }
        Tile { base, differences: &room.differences }
    }

    fn each_pair(&self, mut each: impl FnMut([usize; 2], [Held; 2])) {
        let supports = self.holes.map(|hole| hole.counts.support());
        let both = supports[0] | supports[1];
        let [(firsts, first_count), (seconds, second_count)] =
            supports.map(|support| held_sets(support, both));
        for (i, &first) in firsts[..first_count].iter().enumerate() {
            for (j, &second) in seconds[..second_count].iter().enumerate() {
                each([i, j], [first, second]);
            }
        }
    }

    fn holdem(&self, differences: &mut Differences) {
        let ranks = self.holes.map(|hole| hole.slots.as_slice());
        let held = self.holes[0].counts.plus(self.holes[1].counts);
        self.each_pair(|[i, j], [first, second]| {
            let suited = [first.ranks, second.ranks];
            differences.0[i][j] = match suited[0] & suited[1] {
                0 => dispatch(self.isa, HoldemSuited { ranks, held, suited }),
                _ => WinTie::default(),
            };
        });
    }

    fn omaha(&self, room: &mut TileRoom) {
        let held = self.holes[0].counts.plus(self.holes[1].counts);
        let ranks = self.holes.map(|hole| hole.slots.as_slice());
        let (projection, suited) = (self.projection, &mut room.suited);
        let gains = dispatch(self.isa, Suited { ranks, held, projection, room: suited });
        let rivals = Rivals { ranks: self.holes.map(|hole| hole.boards.as_slice()), held };
        room.boats.next_tile();
        let (differences, boats) = (&mut room.differences, &mut room.boats);
        self.each_pair(|[i, j], pair| {
            differences.0[i][j] = difference(gains, boats, rivals, pair);
        });
    }
}

/// What flushes change in Omaha when the hands hold these sets of a suit.
#[inline]
fn difference(
    gains: &[Outcomes],
    boats: &mut BoatCache,
    rivals: Rivals<'_>,
    [first, second]: [Held; 2],
) -> WinTie {
    let held = [first.ranks, second.ranks];
    let [first_flush, second_flush] = held.map(|ranks| ranks & ranks.wrapping_sub(1) != 0);
    if held[0] & held[1] != 0 || !first_flush && !second_flush {
        return WinTie::default();
    }
    // No rank is in both, so the greater number has the higher card.
    let first_leads = first_flush && (!second_flush || held[0] > held[1]);
    let [win, tie, loss, _] = gains[usize::from(first.place | second.place)];
    let (leader, gained) = match first_leads {
        true => (Leader::First, tie + loss),
        false => (Leader::Second, -win),
    };
    let correction = boats.correction(rivals, held, leader);
    WinTie { win: gained + correction.win, tie: correction.tie - tie }
}

impl Tile<'_> {
    /// The values of a cell: the first hand, of `fixed`, against all hands of `other`.
    #[inline]
    pub(super) fn cell(
        &self,
        permanents: &Permanents,
        fixed: &ClusterParts,
        other: &ClusterParts,
    ) -> CellValues {
        let ways = permanents.ways(matrix(&fixed.parts, &other.parts));
        let all = total(ways) as i32;
        let (mut win, mut tie) = (0, 0);
        for s in 0..4 {
            let row = &self.differences.0[usize::from(fixed.places[s])];
            for t in 0..4 {
                let difference = row[usize::from(other.places[t])];
                let ways = i32::from(ways[4 * s + t]);
                win += ways * difference.win;
                tie += ways * difference.tie;
            }
        }
        // Equal parts make the same hand in several ways.
        let same = other.stabiliser as i32;
        CellValues {
            win: ((all * self.base.win + win) / same) as u32,
            tie: ((all * self.base.tie + tie) / same) as u32,
            placements: (all / same) as u8,
        }
    }

    /// The values of two concrete hands, given by their ranks of each suit.
    pub(super) fn pair(&self, hands: [[u16; 4]; 2]) -> WinTie {
        let supports = hands.map(|parts| parts.iter().fold(0, |all, part| all | part));
        let mut sum = self.base;
        for (first, second) in hands[0].iter().zip(&hands[1]) {
            let row = &self.differences.0[usize::from(side_by_side(*first, supports[0]))];
            let difference = row[usize::from(side_by_side(*second, supports[1]))];
            sum.win += difference.win;
            sum.tie += difference.tie;
        }
        sum
    }
}
