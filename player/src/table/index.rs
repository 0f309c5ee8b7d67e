//! Looking up many positions of a stack table fast.

use retrotab_tablefmt::stack::{FoundLane, Kind, Lane, LaneId, PermId, Ranking, StackSpec};

use super::lanes::PlainLane;

/// Finds lanes by hashing and ranks positions of found lanes.
pub struct Index {
    ranking: Ranking,
    /// Open addressing; as many slots as a power of two.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// Key of a lane plus 1; 0 is a free slot.
    key: u64,
    place: u32,
    kind: u8,
    renaming: u8,
}

const FREE: Slot = Slot { key: 0, place: 0, kind: 0, renaming: 0 };

impl Index {
    /// The index of a table: all its lanes, some megabytes.
    ///
    /// # Panics
    /// With more than four stacks: games have no more.
    pub fn new(spec: StackSpec) -> Self {
        assert!(spec.stacks.get() <= 4, "a lane's key has room for four stacks");
        let ranking = Ranking::new(spec);
        let symmetry = ranking.symmetry();
        let mut lanes = Vec::new();
        for stock in 0..=spec.cards.get() {
            for kind in (0..symmetry.kinds()).map(|kind| Kind(kind as u8)) {
                for lane in ranking.lanes(stock).of_kind(kind) {
                    let perms = (0..symmetry.perms()).map(|perm| PermId(perm as u8));
                    lanes.extend(perms.map(|perm| lane.renamed(symmetry.perm(perm))));
                }
            }
        }
        lanes.sort_by_key(|lane| key(&PlainLane::of(lane)));
        lanes.dedup();
        let mut slots = vec![FREE; (lanes.len() * 2).next_power_of_two()];
        for lane in &lanes {
            let found = ranking.find(lane).expect("a renamed lane of the table");
            let key = key(&PlainLane::of(lane));
            let mut at = hash(key) & (slots.len() - 1);
            while slots[at].key != 0 {
                at = (at + 1) & (slots.len() - 1);
            }
            let FoundLane { id, renaming, .. } = found;
            slots[at] =
                Slot { key: key + 1, place: id.place, kind: id.kind.0, renaming: renaming.0 };
        }
        Self { ranking, slots }
    }

    /// The table's parameters.
    pub fn spec(&self) -> StackSpec {
        self.ranking.spec()
    }

    /// Entries of the table.
    pub fn entries(&self) -> u64 {
        self.ranking.entries()
    }

    /// The canonical form of a lane; `None` when the table does not have it.
    pub fn find(&self, lane: &PlainLane) -> Option<FoundLane> {
        let key = key(lane);
        let mut at = hash(key) & (self.slots.len() - 1);
        loop {
            let slot = self.slots[at];
            if slot.key == key + 1 {
                let id = LaneId { kind: Kind(slot.kind), place: slot.place };
                return Some(FoundLane { stock: lane.stock, id, renaming: PermId(slot.renaming) });
            }
            if slot.key == 0 {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The entry of a position.
    pub fn rank(&self, a: FoundLane, b: FoundLane) -> u64 {
        self.ranking.rank_found(a, b)
    }
}

fn key(lane: &PlainLane) -> u64 {
    let [a, b, c, d] = lane.patterns.map(u64::from);
    u64::from(lane.stock) << 56 | a | b << 14 | c << 28 | d << 42
}

fn hash(key: u64) -> usize {
    let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32) as usize
}

impl PlainLane {
    fn of(lane: &Lane) -> Self {
        let mut patterns = [0; 4];
        for (plain, pattern) in patterns.iter_mut().zip(lane.patterns()) {
            *plain = pattern.bits();
        }
        Self { stock: lane.stock(), patterns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrotab_tablefmt::stack::{Position, Rule};

    #[test]
    fn entries_are_those_of_the_ranking() {
        for (stacks, cards) in [(2u8, 6u8), (3, 5), (4, 4)] {
            let spec = StackSpec {
                stacks: stacks.try_into().unwrap(),
                cards: cards.try_into().unwrap(),
                rule: Rule::Sorted,
            };
            let (index, ranking) = (Index::new(spec), Ranking::new(spec));
            assert_eq!(index.entries(), ranking.entries());
            let mut random = fastrand::Rng::with_seed(1);
            for _ in 0..3000 {
                let position = ranking.unrank(random.u64(..ranking.entries())).unwrap();
                let perms = ranking.symmetry().perms() as u8;
                let perm = ranking.symmetry().perm(PermId(random.u8(..perms)));
                let (a, b) = (position.a.renamed(perm), position.b.renamed(perm));
                let find = |lane: &Lane| index.find(&PlainLane::of(lane)).unwrap();
                let expected = ranking.rank(&Position { a, b }).unwrap();
                assert_eq!(index.rank(find(&a), find(&b)), expected);
                assert_eq!(index.rank(find(&b), find(&a)), expected);
            }
            let too_long = PlainLane { stock: cards + 1, ..PlainLane::default() };
            assert_eq!(index.find(&too_long), None);
        }
    }
}
