//! Clusters: starting hands up to a permutation of suits.
//!
//! What a permutation of suits leaves alone is the collection of the four suits' sets of ranks.
//! Sorted, it is the canonical form of the cluster.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use super::card::{Card, CardSet, SUITS};
use super::error::HandsError;
use super::multiset::{MultisetId, Multisets, RankCounts};
use super::spec::Game;

/// The ranks of the cards of each suit, as bits, the two lowest; the greatest first.
pub type SuitParts = [u16; SUITS];

/// Number of a cluster of a game, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClusterId(pub u16);

/// A cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cluster {
    parts: SuitParts,
}

impl Cluster {
    /// The cluster of a hand.
    pub fn of(hand: CardSet) -> Self {
        let mut parts = [0; SUITS];
        super::card::Suit::all().for_each(|suit| parts[suit.number()] = hand.ranks(suit));
        Self::from_parts(parts)
    }

    fn from_parts(mut parts: SuitParts) -> Self {
        parts.sort_unstable_by(|a, b| b.cmp(a));
        Cluster { parts }
    }

    /// Its suits' ranks.
    pub fn parts(&self) -> SuitParts {
        self.parts
    }

    /// The hand of the cluster whose greatest suits are the first of `shdc`.
    pub fn representative(&self) -> CardSet {
        CardSet::from_suits(self.parts)
    }

    /// Its ranks.
    pub fn ranks(&self) -> RankCounts {
        RankCounts::of(self.representative().cards())
    }

    /// How many permutations of suits leave a hand of the cluster as it is.
    pub fn stabiliser(&self) -> u32 {
        let equal = self.parts.chunk_by(|a, b| a == b).map(<[u16]>::len);
        equal.map(|n| (1..=n as u32).product::<u32>()).product()
    }

    /// Number of its hands.
    pub fn hands(&self) -> u32 {
        24 / self.stabiliser()
    }

    /// How many cards each suit has, the most first.
    pub fn pattern(&self) -> [u8; SUITS] {
        let mut pattern = self.parts.map(|part| part.count_ones() as u8);
        pattern.sort_unstable_by(|a, b| b.cmp(a));
        pattern
    }
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.representative().fmt(f)
    }
}

/// All clusters of a game. They are numbered by their ranks, the highest multiset first, and
/// among equal ranks by their parts, the greatest first.
#[derive(Debug)]
pub struct Clusters {
    game: Game,
    multisets: Multisets,
    clusters: Vec<Cluster>,
    /// By multiset: its first cluster; and the number of clusters at the end.
    firsts: Vec<u16>,
}

impl Clusters {
    /// The clusters of a game, worked out when they are first asked for.
    pub fn get(game: Game) -> &'static Clusters {
        static HOLDEM: LazyLock<Clusters> = LazyLock::new(|| Clusters::new(Game::Holdem));
        static OMAHA: LazyLock<Clusters> = LazyLock::new(|| Clusters::new(Game::Omaha));
        match game {
            Game::Holdem => &HOLDEM,
            Game::Omaha => &OMAHA,
        }
    }

    fn new(game: Game) -> Self {
        let multisets = Multisets::new(game.hole_cards());
        let mut clusters = Vec::new();
        let mut firsts = Vec::with_capacity(multisets.count() + 1);
        for (_, counts) in multisets.iter() {
            firsts.push(clusters.len() as u16);
            clusters.extend(of_ranks(counts));
        }
        firsts.push(clusters.len() as u16);
        Clusters { game, multisets, clusters, firsts }
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.clusters.len()
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ClusterId, &Cluster)> {
        self.clusters.iter().enumerate().map(|(i, cluster)| (ClusterId(i as u16), cluster))
    }

    /// A cluster by its number.
    ///
    /// # Panics
    /// When there is none.
    pub fn cluster(&self, id: ClusterId) -> &Cluster {
        &self.clusters[usize::from(id.0)]
    }

    /// The multisets of ranks of the game's hands.
    pub fn multisets(&self) -> &Multisets {
        &self.multisets
    }

    /// Numbers of the clusters of some ranks.
    pub fn of_multiset(&self, id: MultisetId) -> Range<u16> {
        self.firsts[usize::from(id.0)]..self.firsts[usize::from(id.0) + 1]
    }

    /// The ranks of a cluster.
    pub fn multiset_of(&self, id: ClusterId) -> MultisetId {
        MultisetId((self.firsts.partition_point(|&first| first <= id.0) - 1) as u16)
    }

    /// The cluster of a hand.
    ///
    /// # Errors
    /// [`HandsError::Count`] when it has another number of cards than hands of the game.
    pub fn id_of(&self, hand: CardSet) -> Result<ClusterId, HandsError> {
        let cluster = Cluster::of(hand);
        let multiset = self.multisets.id(cluster.ranks());
        let found = multiset.and_then(|multiset| {
            let range = self.of_multiset(multiset);
            let parts = |id: &u16| self.clusters[usize::from(*id)].parts == cluster.parts;
            range.into_iter().find(parts).map(ClusterId)
        });
        found.ok_or_else(|| self.game.wrong_count(hand.len()))
    }

    /// The cluster of these cards.
    ///
    /// # Errors
    /// [`HandsError`] when they are no hand of the game.
    pub fn id_of_cards(&self, cards: &[Card]) -> Result<ClusterId, HandsError> {
        self.id_of(CardSet::of(cards)?)
    }
}

/// The clusters of a multiset of ranks, in order.
fn of_ranks(counts: RankCounts) -> Vec<Cluster> {
    let mut clusters = vec![Cluster::from_parts([0; SUITS])];
    for rank in super::card::Rank::all().filter(|rank| counts.0[rank.number()] > 0) {
        let cards = u32::from(counts.0[rank.number()]);
        let chosen = (0_u8..1 << SUITS).filter(|suits| suits.count_ones() == cards);
        let with = |cluster: &Cluster, suits: u8| {
            let bit = |s: usize| u16::from(suits >> s & 1) << rank.number();
            Cluster::from_parts(std::array::from_fn(|s| cluster.parts[s] | bit(s)))
        };
        clusters = chosen.flat_map(|suits| clusters.iter().map(move |c| with(c, suits))).collect();
        clusters.sort_unstable_by(|a, b| b.cmp(a));
        clusters.dedup();
    }
    clusters
}
