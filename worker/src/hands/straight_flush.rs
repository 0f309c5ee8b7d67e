//! Straight flushes, the exceptions from the rule that a flush is as good as its highest card.
//!
//! In Omaha, a hand that holds the ranks `F` of a suit has a straight flush exactly when, for
//! some straight `K`, `F` has two ranks of `K` and the board the other three, `Q = K \ F`. (With
//! three ranks of `K` in `F`, only two could lie on the board.) So it depends on the set `S` of
//! the board's ranks of the suit alone: it is whether `S` contains `Q`.

use std::sync::LazyLock;

use retrotab_tablefmt::hands::{Multisets, RANKS, RankCounts};

use super::base::WinTie;
use super::boards::{Slots, Ways, two_of};
use super::ranks::WORST_BOAT;

/// A straight that hole cards of a suit can become part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draw {
    /// The highest rank.
    high: u8,
    /// The three ranks that the board must have, as bits.
    missing: u16,
}

/// Two cards, or one, that complete a board, so that a full house is possible.
#[derive(Debug, Clone, Copy)]
struct Completion {
    board: u16,
    /// The two ranks, as [`two_of`] gives them.
    ranks: [u8; 2],
}

/// Draws and completions, by sets of ranks.
#[derive(Debug)]
pub(super) struct StraightFlushes {
    /// By the ranks held: all straights that can be made with two of them, the highest first.
    draws: Vec<Vec<Draw>>,
    /// By three or four ranks on the board.
    completions: Vec<Vec<Completion>>,
}

/// The ranks of the straight with a highest rank, 3 (the five) to 12.
fn straight(high: u8) -> u16 {
    match high {
        3 => 0b1_0000_0000_1111,
        _ => 0b1_1111 << (high - 4),
    }
}

impl StraightFlushes {
    /// Worked out when they are first asked for.
    pub(super) fn get() -> &'static StraightFlushes {
        static ALL: LazyLock<StraightFlushes> = LazyLock::new(|| {
            let sets = 0..1_u16 << RANKS;
            let draws = sets.clone().map(draws_with).collect();
            StraightFlushes { draws, completions: sets.map(completions_of).collect() }
        });
        &ALL
    }

    /// The draws of a hand with these ranks of a suit.
    pub(super) fn draws(&self, held: u16) -> &[Draw] {
        &self.draws[usize::from(held)]
    }
}

fn draws_with(held: u16) -> Vec<Draw> {
    if !(2..=4).contains(&held.count_ones()) {
        return Vec::new();
    }
    let of_two = |high: &u8| (straight(*high) & held).count_ones() == 2;
    let draw = |high| Draw { high, missing: straight(high) & !held };
    (3..=12).rev().filter(of_two).map(draw).collect()
}

/// What completes these ranks to a board with a pair.
fn completions_of(set: u16) -> Vec<Completion> {
    let slots = Slots::get();
    let left = match set.count_ones() {
        3 => 2,
        4 => 1,
        _ => return Vec::new(),
    };
    let pairs =
        |counts: &RankCounts| counts.0.iter().any(|&n| n > 1) || counts.support() & set != 0;
    let all: Vec<RankCounts> = Multisets::new(left).iter().map(|(_, counts)| counts).collect();
    let completion = |counts: RankCounts| {
        let (board, ranks) = (slots.board(set, counts).0, two_of(counts));
        Completion { board, ranks }
    };
    all.into_iter().filter(pairs).map(completion).collect()
}

/// Boards on which one of two hands has quads or a full house, by who is better.
#[derive(Debug, Clone, Copy, Default)]
struct Boats {
    win: i32,
    tie: i32,
    loss: i32,
}

/// Which hand has the higher flush, straight flushes aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leader {
    First,
    Second,
}

/// Boats of one tile, kept from question to question.
#[derive(Debug)]
pub(super) struct BoatCache {
    tile: u32,
    /// By set of ranks: the tile it was worked out for.
    of_tile: Vec<u32>,
    boats: Vec<Boats>,
    /// What is left of the sets that no draw so far has claimed: sets that a claim must
    /// contain, with the number of times it counts.
    unclaimed: Vec<(u16, i32)>,
}

impl Default for BoatCache {
    fn default() -> Self {
        let sets = 1 << RANKS;
        BoatCache {
            tile: 0,
            of_tile: vec![0; sets],
            boats: vec![Boats::default(); sets],
            unclaimed: Vec::new(),
        }
    }
}

/// The two hands of a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rivals<'a> {
    /// Their ranks by board, flushes ignored.
    pub(super) ranks: [&'a [u16]; 2],
    /// What both hold.
    pub(super) held: RankCounts,
}

impl BoatCache {
    /// Forgets the tile before.
    pub(super) fn next_tile(&mut self) {
        self.tile += 1;
    }

    /// What straight flushes change, summed over all boards, when the hands hold these ranks of
    /// the suit and the outcome without them follows from `leader`.
    pub(super) fn correction(
        &mut self,
        rivals: Rivals<'_>,
        held: [u16; 2],
        leader: Leader,
    ) -> WinTie {
        let all = StraightFlushes::get();
        let mut draws = held.map(|ranks| all.draws(ranks).iter().peekable());
        let mut sum = WinTie::default();
        self.unclaimed.clear();
        self.unclaimed.push((0, 1));
        // The higher straight flush wins, so draws claim their boards from the highest on. Two
        // hands cannot make the same straight of a suit.
        loop {
            let highs = draws.each_mut().map(|d| d.peek().map(|draw| draw.high));
            let owner = usize::from(highs[1] > highs[0]);
            let Some(draw) = draws[owner].next() else { return sum };
            if draw.missing & held[1 - owner] == 0 {
                let owner = [Leader::First, Leader::Second][owner];
                self.claim(rivals, draw.missing, owner, leader, &mut sum);
            }
        }
    }

    /// Adds what changes on the boards that have `missing` and that no draw before has claimed.
    fn claim(
        &mut self,
        rivals: Rivals<'_>,
        missing: u16,
        owner: Leader,
        leader: Leader,
        sum: &mut WinTie,
    ) {
        for i in 0..self.unclaimed.len() {
            let (set, times) = self.unclaimed[i];
            let set = set | missing;
            if set.count_ones() > 5 {
                continue;
            }
            let change = self.change(rivals, set, owner, leader);
            sum.win += times * change.win;
            sum.tie += times * change.tie;
            self.unclaimed.push((set, -times));
        }
    }

    /// What changes on the boards that contain a set, when `owner` has a straight flush on all
    /// of them. Without it, the leader's flush would win unless the other had a boat.
    fn change(&mut self, rivals: Rivals<'_>, set: u16, owner: Leader, leader: Leader) -> WinTie {
        let Boats { win, tie, loss } = self.boats(rivals, set);
        // Both hands' cards and the set are gone; the rest of the board is free.
        let all = match set.count_ones() {
            3 => 41 * 40 / 2,
            4 => 40,
            _ => 1,
        };
        let gained = match (owner, leader) {
            (Leader::First, Leader::First) => tie + loss,
            (Leader::First, Leader::Second) => all - win,
            (Leader::Second, Leader::Second) => -win,
            (Leader::Second, Leader::First) => -(all - tie - loss),
        };
        WinTie { win: gained, tie: -tie }
    }

    fn boats(&mut self, rivals: Rivals<'_>, set: u16) -> Boats {
        let at = usize::from(set);
        if self.of_tile[at] != self.tile {
            self.of_tile[at] = self.tile;
            self.boats[at] = count_boats(rivals, set);
        }
        self.boats[at]
    }
}

fn count_boats(rivals: Rivals<'_>, set: u16) -> Boats {
    let left = |r: usize| 4 - i32::from(rivals.held.0[r]) - i32::from(set >> r & 1);
    let ways = Ways::new(left);
    let mut boats = Boats::default();
    for completion in &StraightFlushes::get().completions[usize::from(set)] {
        let board = usize::from(completion.board);
        let [first, second] = rivals.ranks.map(|ranks| ranks[board]);
        if first.min(second) > WORST_BOAT {
            continue;
        }
        let boards = ways.get(completion.ranks);
        match first.cmp(&second) {
            std::cmp::Ordering::Less => boats.win += boards,
            std::cmp::Ordering::Equal => boats.tie += boards,
            std::cmp::Ordering::Greater => boats.loss += boards,
        }
    }
    boats
}
