//! What the tiles of a whole table share.

use rayon::prelude::*;
use retrotab_tablefmt::hands::{Clusters, Game, MultisetId, RANKS, RankCounts, SuitParts};

use super::base::{BoardWeights, Factors};
use super::placements::Permanents;
use super::ranks::HandRanks;
use super::suited::{MAX_HELD, projection};

/// One multiset of hole cards.
#[derive(Debug)]
pub(super) struct Hole {
    pub(super) counts: RankCounts,
    /// Its ranks by board, flushes ignored.
    pub(super) boards: Vec<u16>,
    /// The same by slot.
    pub(super) slots: Vec<u16>,
}

impl Hole {
    pub(super) fn new(game: Game, counts: RankCounts) -> Self {
        let ranks = HandRanks::new(game, counts);
        let slots = ranks.by_slot();
        Hole { counts, boards: ranks.boards, slots }
    }
}

/// A cluster within its multiset.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClusterParts {
    pub(super) parts: SuitParts,
    /// The parts, as bits side by side for the different ranks of the multiset.
    pub(super) places: [u8; 4],
    pub(super) stabiliser: u32,
}

/// Tables for all tiles of a game. For Omaha they take about 200 MiB.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) game: Game,
    pub(super) clusters: &'static Clusters,
    holes: Vec<Hole>,
    parts: Vec<ClusterParts>,
    weights: BoardWeights,
    /// By set of ranks held, for Omaha.
    projections: Vec<Vec<u8>>,
    pub(super) permanents: Permanents,
}

impl Tables {
    /// Works them out on the threads of the rayon pool this is called in.
    pub(super) fn new(game: Game) -> Self {
        let clusters = Clusters::get(game);
        let counts: Vec<RankCounts> = clusters.multisets().iter().map(|(_, c)| c).collect();
        let needed = |set: u16| game == Game::Omaha && set.count_ones() as usize <= MAX_HELD;
        let project = |set: u16| if needed(set) { projection(set) } else { Vec::new() };
        Tables {
            game,
            clusters,
            holes: counts.par_iter().map(|&counts| Hole::new(game, counts)).collect(),
            parts: clusters.iter().map(|(_, cluster)| parts_of(cluster)).collect(),
            weights: BoardWeights::new(2 * game.hole_cards()),
            projections: (0..1_u16 << RANKS).into_par_iter().map(project).collect(),
            permanents: Permanents::new(),
        }
    }

    pub(super) fn hole(&self, id: u16) -> &Hole {
        &self.holes[usize::from(id)]
    }

    /// The clusters of a multiset.
    pub(super) fn parts_of(&self, id: u16) -> &[ClusterParts] {
        let range = self.clusters.of_multiset(MultisetId(id));
        &self.parts[range.start.into()..range.end.into()]
    }

    pub(super) fn factors(&self, held: RankCounts) -> Factors<'_> {
        self.weights.factors(held)
    }

    pub(super) fn projection(&self, ranks: u16) -> &[u8] {
        &self.projections[usize::from(ranks)]
    }
}

pub(super) fn parts_of(cluster: &retrotab_tablefmt::hands::Cluster) -> ClusterParts {
    let support = cluster.ranks().support();
    let parts = cluster.parts();
    let places = parts.map(|part| side_by_side(part, support));
    ClusterParts { parts, places, stabiliser: cluster.stabiliser() }
}

/// Which of the ranks of `support` a set has, as bits side by side.
pub(super) fn side_by_side(set: u16, support: u16) -> u8 {
    let ranks = (0..RANKS).filter(|r| support >> r & 1 == 1);
    ranks.zip(0..).map(|(r, place)| ((set >> r & 1) as u8) << place).sum()
}
