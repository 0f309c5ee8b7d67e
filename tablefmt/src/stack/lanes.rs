//! All canonical lanes with a given number of stock cards, ranked.

use std::collections::HashMap;

use super::lane::{Lane, MAX_STACKS, Pattern};
use super::spec::StackSpec;
use super::symmetry::{Canonical, Kind, PermId, Symmetry};

/// A canonical lane among those with as many stock cards: its kind and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneId {
    /// Which of its stacks are alike.
    pub kind: Kind,
    /// Place among the lanes of that kind, from 0.
    pub place: u32,
}

/// The canonical lanes with `k` stock cards, grouped by kind. In a kind they are ordered by
/// their stacks' first gaps, so that lanes to which the placement rule applies alike form
/// runs.
#[derive(Debug, Clone)]
pub struct LaneTable {
    kinds: Vec<Vec<Lane>>,
    places: HashMap<Lane, LaneId>,
}

impl LaneTable {
    /// The lanes of a table with `stock` stock cards.
    pub fn new(spec: StackSpec, symmetry: &Symmetry, stock: u8) -> Self {
        let mut patterns: Vec<_> = (0..1u16 << stock).map(Pattern::from_bits).collect();
        patterns.sort();
        let mut kinds = vec![Vec::new(); symmetry.kinds()];
        let mut chosen = [Pattern::default(); MAX_STACKS];
        let room = spec.cards.get() - stock;
        let stacks = usize::from(spec.stacks.get());
        for_each_multiset(&patterns, room, stacks, &mut chosen, 0, &mut |chosen| {
            let canonical = symmetry.canonical(&Lane::new(stock, *chosen));
            kinds[usize::from(canonical.kind.0)].push(canonical.lane);
        });
        for lanes in &mut kinds {
            lanes.sort_by_key(|lane| (lane.patterns().map(|p| p.first_gap()), *lane.patterns()));
        }
        let mut places = HashMap::new();
        for (kind, lanes) in kinds.iter().enumerate() {
            for (place, &lane) in lanes.iter().enumerate() {
                let id = LaneId { kind: Kind(kind as u8), place: place as u32 };
                places.insert(lane, id);
            }
        }
        LaneTable { kinds, places }
    }

    /// The lanes of a kind, in order.
    pub fn of_kind(&self, kind: Kind) -> &[Lane] {
        &self.kinds[usize::from(kind.0)]
    }

    /// A lane by its id.
    pub fn lane(&self, id: LaneId) -> &Lane {
        &self.of_kind(id.kind)[id.place as usize]
    }

    /// The id of any lane with the right number of stock cards and the renaming that leads to
    /// it from the canonical one; `None` when the lane has more cards than the table.
    pub fn find(&self, symmetry: &Symmetry, lane: &Lane) -> Option<(LaneId, PermId)> {
        let Canonical { lane, renaming, .. } = symmetry.canonical(lane);
        self.places.get(&lane).map(|&id| (id, renaming))
    }
}

/// Calls `each` with every ascending choice of `stacks` patterns that hold at most `room`
/// cards together.
fn for_each_multiset(
    patterns: &[Pattern],
    room: u8,
    stacks: usize,
    chosen: &mut [Pattern; MAX_STACKS],
    filled: usize,
    each: &mut impl FnMut(&[Pattern; MAX_STACKS]),
) {
    if filled == stacks {
        return each(chosen);
    }
    for (i, &pattern) in patterns.iter().enumerate() {
        if pattern.len() <= room {
            chosen[filled] = pattern;
            let left = room - pattern.len();
            for_each_multiset(&patterns[i..], left, stacks, chosen, filled + 1, each);
        }
    }
    chosen[filled] = Pattern::default();
}
