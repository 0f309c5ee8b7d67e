//! Where drawing a card leads: the children of every canonical lane.

use retrotab_tablefmt::stack::{Kind, Lane, LaneId, PermId, Ranking};

/// The canonical form of a lane after a draw, and the renaming that leads back to the lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child {
    place: u32,
    kind: Kind,
    renaming: PermId,
}

impl Child {
    /// The canonical lane, among those with one stock card less.
    pub(super) fn lane(self) -> LaneId {
        LaneId { kind: self.kind, place: self.place }
    }

    /// The kind of the canonical lane.
    pub(super) fn kind(self) -> Kind {
        self.kind
    }

    /// The place of the canonical lane in its kind.
    pub(super) fn place(self) -> u32 {
        self.place
    }

    /// The lane after the draw is the canonical lane renamed by this.
    pub(super) fn renaming(self) -> PermId {
        self.renaming
    }
}

/// Children of the lanes of one kind.
#[derive(Debug, Clone, Default)]
struct KindMoves {
    plays: Vec<Child>,
    placements: Vec<Child>,
    /// For each lane, where the placements on each stack start, and where the last ones end.
    starts: Vec<u32>,
}

/// The children of all canonical lanes with the same number of stock cards, at least one.
#[derive(Debug, Clone)]
pub(super) struct LaneMoves {
    stacks: usize,
    kinds: Vec<KindMoves>,
}

/// The children of one lane. Only the lane's own part of the placement rule has been applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moves<'a> {
    /// Its first stock card is drawn and played.
    pub(super) play: Child,
    placements: &'a [Child],
    starts: &'a [u32],
}

impl<'a> Moves<'a> {
    /// Children after the 2nd, 3rd, .. stock card is drawn and put on `stack`, as far as the
    /// lane itself allows it.
    pub(super) fn on_stack(&self, stack: usize) -> &'a [Child] {
        &self.placements[self.starts[stack] as usize..self.starts[stack + 1] as usize]
    }

    /// The play and then all placements, stack by stack.
    pub(super) fn all(&self) -> impl Iterator<Item = Child> + use<'a> {
        let (from, to) = (self.starts[0], self.starts[self.starts.len() - 1]);
        let placements = &self.placements[from as usize..to as usize];
        std::iter::once(self.play).chain(placements.iter().copied())
    }
}

impl LaneMoves {
    /// The children of the canonical lanes with `stock` stock cards.
    pub(super) fn new(ranking: &Ranking, stock: u8) -> Self {
        let stacks = usize::from(ranking.spec().stacks.get());
        let kinds = (0..ranking.symmetry().kinds()).map(|k| Kind(k as u8));
        let below = ranking.lanes(stock - 1);
        let child = |lane: Lane| {
            let found = below.find(ranking.symmetry(), &lane);
            let (id, renaming) = found.expect("a draw never adds a card");
            Child { place: id.place, kind: id.kind, renaming }
        };
        let moves_of_kind = |kind: Kind| {
            let mut moves = KindMoves::default();
            for lane in ranking.lanes(stock).of_kind(kind) {
                moves.plays.push(child(lane.play()));
                for stack in 0..stacks as u8 {
                    moves.starts.push(moves.placements.len() as u32);
                    let last = lane.pattern(stack).first_gap().min(stock);
                    let placed = (2..=last).map(|draw| child(lane.place(draw, stack)));
                    moves.placements.extend(placed);
                }
                moves.starts.push(moves.placements.len() as u32);
            }
            moves
        };
        LaneMoves { stacks, kinds: kinds.map(moves_of_kind).collect() }
    }

    /// The children of a lane.
    pub(super) fn of(&self, lane: LaneId) -> Moves<'_> {
        let moves = &self.kinds[usize::from(lane.kind.0)];
        let starts = lane.place as usize * (self.stacks + 1);
        Moves {
            play: moves.plays[lane.place as usize],
            placements: &moves.placements,
            starts: &moves.starts[starts..=starts + self.stacks],
        }
    }
}
