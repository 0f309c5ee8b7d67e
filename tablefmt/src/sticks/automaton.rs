//! Which multisets of lengths are positions: those that fit on the rows.
//!
//! Segments of lengths l1, l2, ... fit on a row of r sticks when the sticks and a gap between
//! each two of them do: (l1 + 1) + (l2 + 1) + ... <= r + 1. A segment of length l is thus an
//! item of size l + 1 and the row a bin of size r + 1, and whether a multiset fits on all rows
//! is a question of bin packing. (All that fits can be reached: strike the gaps.)
//!
//! The answer for all multisets at once is a deterministic automaton. It reads a multiset from
//! the longest length down: at each length it *takes* a segment as often as there are some,
//! then goes *down* to the next shorter length. The smallest such automaton has 15,630 nodes
//! for 12 rows, where there are 6,877,031 positions.
//!
//! It is built row by row. A multiset fits on r rows when it has a part that fits on row r and
//! a rest that fits on the rows before, so a node is a set of pairs: where the automaton of
//! r - 1 rows may be after reading the rest, and what room row r then has. Of two pairs, one
//! that allows all the other does and has no less room makes the other superfluous.

use std::collections::HashMap;

/// A node of an [`Automaton`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// Where every reading ends, below length 1.
    pub(super) const END: NodeId = NodeId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node allows next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Node {
    /// One more segment of the length at hand, if it fits.
    pub(super) take: Option<NodeId>,
    /// No more segments of this length.
    pub(super) down: NodeId,
}

/// The multisets that fit on rows of 1, 2, ... sticks.
#[derive(Debug)]
pub(super) struct Automaton {
    /// Every node comes after those it leads to.
    nodes: Vec<Node>,
    root: NodeId,
}

impl Automaton {
    /// The automaton for so many rows.
    pub(super) fn new(rows: u8) -> Self {
        let end = Node { take: None, down: NodeId::END };
        let nothing = Automaton { nodes: vec![end], root: NodeId::END };
        (1..=rows).fold(nothing, |before, row| Builder::new(&before).with_row(row))
    }

    /// The node at which a reading starts, with the longest row's length.
    pub(super) fn root(&self) -> NodeId {
        self.root
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// All nodes; each comes after those it leads to, the first is [`NodeId::END`].
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// One way in which what was read may lie on the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Way {
    /// Where the rows before the new one are.
    before: NodeId,
    /// What is left of the new row's bin; 0 if no segment fits in any more.
    room: u8,
}

/// Size of the shortest segment, as an item.
const SMALLEST_ITEM: u8 = 2;

/// Adds a row to an automaton.
struct Builder<'a> {
    before: &'a Automaton,
    /// Whether all that can follow one node can follow the other.
    included: HashMap<(NodeId, NodeId), bool>,
    /// Nodes by the ways that lead there.
    by_ways: HashMap<Vec<Way>, NodeId>,
    /// Nodes by what they allow next.
    by_node: HashMap<Node, NodeId>,
    nodes: Vec<Node>,
}

impl<'a> Builder<'a> {
    fn new(before: &'a Automaton) -> Self {
        let nodes = vec![before.nodes[0]];
        let (included, by_ways, by_node) = Default::default();
        Builder { before, included, by_ways, by_node, nodes }
    }

    /// The automaton with the row; the rows before are those of 1 to `row - 1` sticks.
    fn with_row(mut self, row: u8) -> Automaton {
        // Only this row takes a segment as long as it is, and then it is full.
        let before = self.before.root;
        let full = self.reached(row - 1, vec![Way { before, room: 0 }]);
        let taken = self.unique(Node { take: None, down: full });
        let free = self.reached(row - 1, vec![Way { before, room: row + 1 }]);
        let root = self.unique(Node { take: Some(taken), down: free });
        Automaton { nodes: self.nodes, root }
    }

    /// The node, reading segments of `length`, that several ways lead to.
    fn reached(&mut self, length: u8, ways: Vec<Way>) -> NodeId {
        if length == 0 {
            return NodeId::END;
        }
        let ways = self.without_superfluous(ways);
        // Nodes of different lengths are different, so the length need not be in the key.
        if let Some(&known) = self.by_ways.get(&ways) {
            return known;
        }
        let node = |way: &Way| self.before.node(way.before);
        let taken: Vec<Way> = ways
            .iter()
            .flat_map(|way| {
                let elsewhere = node(way).take.map(|before| Way { before, ..*way });
                let rest = way.room.checked_sub(length + 1);
                let room = rest.map(|rest| if rest < SMALLEST_ITEM { 0 } else { rest });
                elsewhere.into_iter().chain(room.map(|room| Way { room, ..*way }))
            })
            .collect();
        let down = ways.iter().map(|way| Way { before: node(way).down, ..*way }).collect();
        let take = (!taken.is_empty()).then(|| self.reached(length, taken));
        let down = self.reached(length - 1, down);
        let reached = self.unique(Node { take, down });
        self.by_ways.insert(ways, reached);
        reached
    }

    fn unique(&mut self, node: Node) -> NodeId {
        let next = NodeId(self.nodes.len() as u32);
        let id = *self.by_node.entry(node).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// The ways that no other one makes superfluous, in order.
    fn without_superfluous(&mut self, ways: Vec<Way>) -> Vec<Way> {
        let mut kept: Vec<Way> = Vec::with_capacity(ways.len());
        for way in ways {
            if !kept.iter().any(|&other| self.is_covered(way, other)) {
                kept.retain(|&other| !self.is_covered(other, way));
                kept.push(way);
            }
        }
        kept.sort_unstable();
        kept
    }

    fn is_covered(&mut self, way: Way, by: Way) -> bool {
        way.room <= by.room && self.is_included(way.before, by.before)
    }

    /// Whether all that can follow `one` can follow `other`, a node of the same length.
    fn is_included(&mut self, one: NodeId, other: NodeId) -> bool {
        if one == other {
            return true;
        }
        if let Some(&known) = self.included.get(&(one, other)) {
            return known;
        }
        let (a, b) = (self.before.node(one), self.before.node(other));
        let taken = match (a.take, b.take) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => self.is_included(a, b),
        };
        let included = taken && self.is_included(a.down, b.down);
        self.included.insert((one, other), included);
        included
    }
}
