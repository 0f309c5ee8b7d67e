//! Positions of the two-foundation game in canonical form.

use super::lane::{Lane, Names, STACKED, stack_of};
use super::rules::Rules;

/// A position that is not lost beyond hope, in canonical form:
///
/// * every move to a lane has been made, and what is built is forgotten;
/// * a card that lies directly on the card needed right after it is one with it: nothing can come
///   between, and when the upper one goes the lower one follows;
/// * the last card of a lane at the bottom of a stack is forgotten: nothing waits for it, and it
///   goes when all else of its lane has gone. This is repeated;
/// * stacks are named in the order in which the lanes mention them, and the lanes stand in the
///   order that gives the smaller key where they could be swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    lanes: [Lane; 2],
    key: u64,
}

impl Position {
    /// The canonical form of lanes in which all moves have been made. `follows` has bit i for a
    /// card i that lies directly on the one needed after it.
    #[inline]
    pub(super) fn joined(rules: Rules, mut lanes: [Lane; 2], follows: [u32; 2]) -> Self {
        lanes.iter_mut().zip(follows).for_each(|(lane, follows)| lane.remove_all(follows));
        forget_grounded(&mut lanes);
        Self::canonical(rules, lanes)
    }

    /// Renames stacks and lanes.
    pub(super) fn canonical(rules: Rules, [a, b]: [Lane; 2]) -> Self {
        match a.shape().cmp(&b.shape()) {
            std::cmp::Ordering::Greater => Self::named(rules, [a, b]),
            std::cmp::Ordering::Less => Self::named(rules, [b, a]),
            std::cmp::Ordering::Equal => {
                let (one, other) = (Self::named(rules, [a, b]), Self::named(rules, [b, a]));
                if one.key <= other.key { one } else { other }
            }
        }
    }

    fn named(rules: Rules, [first, second]: [Lane; 2]) -> Self {
        let names = Names::of(first, second);
        let lanes = [names.rename(first), names.rename(second)];
        let [high, low] = lanes.map(|lane| lane.code(rules.symbols()));
        Self { lanes, key: high * rules.lanes() + low }
    }

    /// The position before the first draw: all cards of both lanes in the stock.
    pub fn start(rules: Rules) -> Self {
        Self::canonical(rules, [Lane::of_stock(rules.chain()); 2])
    }

    pub(super) fn lanes(&self) -> [Lane; 2] {
        self.lanes
    }

    /// A number below 2^[`Rules::key_bits`], different for all positions of a game.
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// Number of cards in the stock.
    pub fn stock(&self) -> u32 {
        self.lanes.iter().map(|lane| lane.stock().count_ones()).sum()
    }
}

/// Forgets last cards at the bottom of stacks.
#[inline]
pub(super) fn forget_grounded(lanes: &mut [Lane; 2]) {
    let mut lane = 0;
    let mut settled = 0;
    while settled < 2 {
        // The last card of a lane that lies on no other lane's card lies on none at all.
        match lanes[lane].last().filter(|symbol| symbol & !6 == STACKED) {
            Some(symbol) => {
                lanes[lane].pop();
                ground(lanes, lane, stack_of(symbol));
                settled = 0;
            }
            None => {
                settled += 1;
                lane = 1 - lane;
            }
        }
    }
}

/// Mends what the bottom card of a stack lies on after the one below, of `lane`, was taken away.
fn ground(lanes: &mut [Lane; 2], lane: usize, stack: usize) {
    let own = lanes[lane].last_on(stack);
    let stays = own.is_some_and(|card| lanes[lane].get(card) & !6 == STACKED);
    if stays {
        return;
    }
    if let Some(card) = lanes[1 - lane].last_on(stack) {
        lanes[1 - lane].ground(card);
    }
}
