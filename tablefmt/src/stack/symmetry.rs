//! Renaming stacks: permutations, stabilisers and double cosets.
//!
//! A lane is canonical when its stacks' patterns stand in ascending order; the renamings that
//! leave a canonical lane alone only move stacks with equal patterns, so its stabiliser is
//! given by which neighbours are equal: its [`Kind`], one of `2^(N-1)`.
//!
//! A pair of lanes up to renaming is a canonical lane `x` (stabiliser `X`), a canonical lane
//! `y` (stabiliser `Y`) and how `y` is turned against `x`: `(x, t y)`. Renamings from `X` do
//! not change `x` and those from `Y` do not change `y`, so `t` counts only up to
//! `X t Y`, a *double coset*.

use super::lane::{Lane, MAX_STACKS};
use super::spec::Stacks;

/// A renaming of `N` stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Perm {
    stacks: u8,
    images: [u8; MAX_STACKS],
}

impl Perm {
    /// `images()[s]` is the new name of stack `s`.
    pub fn images(&self) -> &[u8] {
        &self.images[..usize::from(self.stacks)]
    }

    /// The renaming that does `first` and then `self`.
    fn after(&self, first: &Perm) -> Perm {
        let mut images = [0; MAX_STACKS];
        for (s, &image) in first.images().iter().enumerate() {
            images[s] = self.images[usize::from(image)];
        }
        Perm { stacks: self.stacks, images }
    }

    fn inverse(&self) -> Perm {
        let mut images = [0; MAX_STACKS];
        for (s, &image) in self.images().iter().enumerate() {
            images[usize::from(image)] = s as u8;
        }
        Perm { stacks: self.stacks, images }
    }
}

/// Number of a [`Perm`] in lexicographic order; 0 is the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PermId(pub u8);

/// Which neighbouring stacks of a canonical lane are alike: bit `s` says that stacks `s` and
/// `s + 1` have equal patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u8);

impl Kind {
    fn of_sorted(lane: &Lane, stacks: Stacks) -> Kind {
        let equal = |s: u8| lane.pattern(s) == lane.pattern(s + 1);
        let bits = (0..stacks.get() - 1).filter(|&s| equal(s)).map(|s| 1 << s);
        Kind(bits.sum())
    }

    /// Whether renaming by `perm` moves stacks only among those that are alike.
    fn is_kept_by(self, perm: &Perm) -> bool {
        // Stacks lo..=hi are alike exactly when the bits lo..hi are all set.
        let alike = |a: u8, b: u8| (a.min(b)..a.max(b)).all(|s| self.0 >> s & 1 == 1);
        perm.images().iter().enumerate().all(|(s, &image)| alike(s as u8, image))
    }
}

/// Number of a double coset among those of two kinds, in order of its smallest permutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(pub u8);

/// The double cosets `X \ S_N / Y` of two kinds.
#[derive(Debug, Clone)]
struct Turns {
    /// By permutation.
    turn_of: Vec<Turn>,
    /// By turn: its smallest permutation.
    representative: Vec<PermId>,
}

/// A canonical lane and the renaming that leads from it to the lane asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canonical {
    /// The canonical lane.
    pub lane: Lane,
    /// Its kind.
    pub kind: Kind,
    /// The lane asked for is `lane` renamed by this.
    pub renaming: PermId,
}

/// All renamings of `N` stacks with their products, and the double cosets of every two kinds.
#[derive(Debug, Clone)]
pub struct Symmetry {
    stacks: Stacks,
    perms: Vec<Perm>,
    products: Vec<PermId>,
    inverses: Vec<PermId>,
    turns: Vec<Turns>,
}

impl Symmetry {
    /// Tables for `stacks` stacks: at most 120 permutations and 16 kinds.
    pub fn new(stacks: Stacks) -> Self {
        let perms = permutations(stacks.get());
        let find = |p: &Perm| PermId(perms.iter().position(|q| q == p).expect("a group") as u8);
        let products =
            perms.iter().flat_map(|a| perms.iter().map(move |b| a.after(b))).map(|p| find(&p));
        let products: Vec<_> = products.collect();
        let inverses = perms.iter().map(|p| find(&p.inverse())).collect();
        let mut symmetry = Symmetry { stacks, perms, products, inverses, turns: Vec::new() };
        let kinds = || (0..symmetry.kinds()).map(|k| Kind(k as u8));
        let pairs = kinds().flat_map(|x| kinds().map(move |y| (x, y)));
        symmetry.turns = pairs.map(|(x, y)| symmetry.double_cosets(x, y)).collect();
        symmetry
    }

    fn double_cosets(&self, x: Kind, y: Kind) -> Turns {
        let unset = Turn(u8::MAX);
        let mut turns =
            Turns { turn_of: vec![unset; self.perms.len()], representative: Vec::new() };
        let kept = |kind: Kind| {
            let ids = (0..self.perms.len() as u8).map(PermId);
            ids.filter(|&p| kind.is_kept_by(self.perm(p))).collect::<Vec<_>>()
        };
        let (from_x, from_y) = (kept(x), kept(y));
        for perm in (0..self.perms.len() as u8).map(PermId) {
            if turns.turn_of[usize::from(perm.0)] != unset {
                continue;
            }
            let turn = Turn(turns.representative.len() as u8);
            turns.representative.push(perm);
            for &a in &from_x {
                for &b in &from_y {
                    let member = self.product(self.product(a, perm), b);
                    turns.turn_of[usize::from(member.0)] = turn;
                }
            }
        }
        turns
    }

    /// Number of stacks.
    pub fn stacks(&self) -> Stacks {
        self.stacks
    }

    /// Number of permutations, `N!`.
    pub fn perms(&self) -> usize {
        self.perms.len()
    }

    /// Number of kinds, `2^(N-1)`.
    pub fn kinds(&self) -> usize {
        1 << (self.stacks.get() - 1)
    }

    /// The permutation with a number.
    pub fn perm(&self, id: PermId) -> &Perm {
        &self.perms[usize::from(id.0)]
    }

    /// The renaming that does `b` first and `a` after it.
    pub fn product(&self, a: PermId, b: PermId) -> PermId {
        self.products[usize::from(a.0) * self.perms.len() + usize::from(b.0)]
    }

    /// The renaming that undoes `a`.
    pub fn inverse(&self, a: PermId) -> PermId {
        self.inverses[usize::from(a.0)]
    }

    fn turns_of(&self, x: Kind, y: Kind) -> &Turns {
        &self.turns[usize::from(x.0) * self.kinds() + usize::from(y.0)]
    }

    /// Number of double cosets of two kinds.
    pub fn turn_count(&self, x: Kind, y: Kind) -> usize {
        self.turns_of(x, y).representative.len()
    }

    /// The double coset `X perm Y`.
    pub fn turn(&self, x: Kind, y: Kind, perm: PermId) -> Turn {
        self.turns_of(x, y).turn_of[usize::from(perm.0)]
    }

    /// The smallest permutation of a double coset.
    pub fn representative(&self, x: Kind, y: Kind, turn: Turn) -> PermId {
        self.turns_of(x, y).representative[usize::from(turn.0)]
    }

    /// The double coset of the same pair of lanes seen from the other one.
    pub fn swapped(&self, x: Kind, y: Kind, turn: Turn) -> Turn {
        let perm = self.inverse(self.representative(x, y, turn));
        self.turn(y, x, perm)
    }

    /// The canonical form of a lane under renaming.
    pub fn canonical(&self, lane: &Lane) -> Canonical {
        let stacks = self.stacks.get();
        let mut images = [0, 1, 2, 3, 4];
        images[..usize::from(stacks)].sort_by_key(|&s| lane.pattern(s));
        for unused in &mut images[usize::from(stacks)..] {
            *unused = 0;
        }
        let renaming = Perm { stacks, images };
        let lane = lane.renamed(&renaming.inverse());
        Canonical { lane, kind: Kind::of_sorted(&lane, self.stacks), renaming: rank(&renaming) }
    }
}

/// All permutations in lexicographic order of their images.
fn permutations(stacks: u8) -> Vec<Perm> {
    fn extend(stacks: u8, images: &mut Vec<u8>, all: &mut Vec<Perm>) {
        if images.len() == usize::from(stacks) {
            let mut padded = [0; MAX_STACKS];
            padded[..images.len()].copy_from_slice(images);
            all.push(Perm { stacks, images: padded });
            return;
        }
        for next in 0..stacks {
            if !images.contains(&next) {
                images.push(next);
                extend(stacks, images, all);
                images.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(stacks, &mut Vec::new(), &mut all);
    all
}

/// A permutation's number in lexicographic order.
fn rank(perm: &Perm) -> PermId {
    let images = perm.images();
    let mut rank = 0;
    for (s, image) in images.iter().enumerate() {
        let smaller = images[s + 1..].iter().filter(|&later| later < image).count();
        rank = rank * (images.len() - s) + smaller;
    }
    PermId(rank as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::lane::Pattern;

    fn symmetry(stacks: u8) -> Symmetry {
        Symmetry::new(Stacks::try_from(stacks).unwrap())
    }

    #[test]
    fn ranks_follow_the_list() {
        for stacks in 1..=Stacks::MAX {
            let perms = permutations(stacks);
            assert_eq!(perms.len(), (1..=usize::from(stacks)).product::<usize>());
            for (i, perm) in perms.iter().enumerate() {
                assert_eq!(rank(perm), PermId(i as u8));
            }
        }
    }

    #[test]
    fn double_cosets_cover_every_permutation_once() {
        for stacks in 1..=Stacks::MAX {
            let s = symmetry(stacks);
            let kinds = || (0..s.kinds() as u8).map(Kind);
            for (x, y) in kinds().flat_map(|x| kinds().map(move |y| (x, y))) {
                let ids = (0..s.perms() as u8).map(PermId);
                let used: std::collections::BTreeSet<_> = ids.map(|p| s.turn(x, y, p)).collect();
                assert_eq!(used.len(), s.turn_count(x, y));
                for turn in used {
                    assert_eq!(s.swapped(y, x, s.swapped(x, y, turn)), turn);
                }
            }
            let all_alike = Kind((s.kinds() - 1) as u8);
            assert_eq!(s.turn_count(Kind(0), Kind(0)), s.perms());
            assert_eq!(s.turn_count(all_alike, Kind(0)), 1);
        }
    }

    #[test]
    fn the_renaming_leads_back() {
        let s = symmetry(4);
        let lane = Lane::new(3, [4, 1, 0, 4, 0].map(Pattern::from_bits));
        let canonical = s.canonical(&lane);
        assert_eq!(canonical.lane.renamed(s.perm(canonical.renaming)), lane);
        assert_eq!(canonical.kind, Kind(0b010));
    }
}
