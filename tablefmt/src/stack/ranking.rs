//! Ranking of positions: position <-> index in the table.

use super::lane::Lane;
use super::lanes::{LaneId, LaneTable};
use super::section::{Cell, Section, SectionLayout};
use super::spec::{Cards, StackSpec};
use super::symmetry::{PermId, Symmetry};

/// Two lanes; their order does not matter, nor do the names of the stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// One lane.
    pub a: Lane,
    /// The other lane.
    pub b: Lane,
}

/// Everything that positions of one table are ranked by.
#[derive(Debug, Clone)]
pub struct Ranking {
    spec: StackSpec,
    symmetry: Symmetry,
    lanes: Vec<LaneTable>,
    sections: Vec<(u64, SectionLayout)>,
    /// By rows and columns of a section: its place in `sections`.
    numbers: [[u8; Cards::MAX as usize + 1]; Cards::MAX as usize + 1],
}

/// A lane among the canonical ones: what [`LaneTable::find`] says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundLane {
    /// Its stock cards.
    pub stock: u8,
    /// The canonical lane.
    pub id: LaneId,
    /// The lane is the canonical one renamed by this.
    pub renaming: PermId,
}

impl Ranking {
    /// Tables for ranking; takes milliseconds and a few megabytes for up to four stacks.
    pub fn new(spec: StackSpec) -> Self {
        let symmetry = Symmetry::new(spec.stacks);
        let cards = spec.cards.get();
        let lanes: Vec<_> = (0..=cards).map(|k| LaneTable::new(spec, &symmetry, k)).collect();
        let mut first = 0;
        let sections = Section::all(cards).map(|section| {
            let rows = &lanes[usize::from(section.rows)];
            let columns = &lanes[usize::from(section.columns)];
            let layout = SectionLayout::new(section, &symmetry, rows, columns);
            let start = first;
            first += layout.entries();
            (start, layout)
        });
        let sections = sections.collect();
        let mut numbers = [[u8::MAX; Cards::MAX as usize + 1]; Cards::MAX as usize + 1];
        for (number, section) in Section::all(cards).enumerate() {
            numbers[usize::from(section.rows)][usize::from(section.columns)] = number as u8;
        }
        Ranking { spec, symmetry, lanes, sections, numbers }
    }

    /// The table's parameters.
    pub fn spec(&self) -> StackSpec {
        self.spec
    }

    /// Renamings of the table's stacks.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// The canonical lanes with `stock` stock cards.
    pub fn lanes(&self, stock: u8) -> &LaneTable {
        &self.lanes[usize::from(stock)]
    }

    /// The sections in order, each with the index of its first entry.
    pub fn sections(&self) -> impl Iterator<Item = (u64, &SectionLayout)> {
        self.sections.iter().map(|(first, layout)| (*first, layout))
    }

    /// The layout of a section.
    ///
    /// # Panics
    /// When the table has no such section.
    pub fn section(&self, section: Section) -> &SectionLayout {
        &self.sections[self.section_number(section)].1
    }

    /// The place of a section in [`sections`](Self::sections).
    ///
    /// # Panics
    /// When the table has no such section.
    pub fn section_number(&self, section: Section) -> usize {
        let number = self.numbers[usize::from(section.rows)][usize::from(section.columns)];
        assert!(usize::from(number) < self.sections.len(), "no section {section}");
        usize::from(number)
    }

    /// Entries of the table.
    pub fn entries(&self) -> u64 {
        self.sections.last().map_or(0, |(first, layout)| first + layout.entries())
    }

    /// The index of a position, or `None` when a lane has more stacks or cards than the table.
    pub fn rank(&self, position: &Position) -> Option<u64> {
        let fits = |lane: &Lane| lane.fits(self.spec.stacks, self.spec.cards);
        if !fits(&position.a) || !fits(&position.b) {
            return None;
        }
        Some(self.rank_found(self.find(&position.a)?, self.find(&position.b)?))
    }

    /// The canonical form of a lane, or `None` when it has more stacks or cards than the table.
    pub fn find(&self, lane: &Lane) -> Option<FoundLane> {
        let (id, renaming) =
            self.lanes.get(usize::from(lane.stock()))?.find(&self.symmetry, lane)?;
        Some(FoundLane { stock: lane.stock(), id, renaming })
    }

    /// The index of a position of two lanes that have been found: what programs that look up
    /// many positions of few lanes use.
    pub fn rank_found(&self, a: FoundLane, b: FoundLane) -> u64 {
        let (row, column) = if a.stock < b.stock { (b, a) } else { (a, b) };
        let turned = self.symmetry.product(self.symmetry.inverse(row.renaming), column.renaming);
        let turn = self.symmetry.turn(row.id.kind, column.id.kind, turned);
        let cell = Cell { row: row.id, column: column.id, turn };
        let section = Section { rows: row.stock, columns: column.stock };
        let cell = if section.is_triangular() { self.lower(cell) } else { cell };
        let (first, layout) = &self.sections[self.section_number(section)];
        first + layout.entry(cell)
    }

    /// Of a cell and its mirror in a triangular section, the one that is stored; where both
    /// are, the one that is stored first.
    fn lower(&self, cell: Cell) -> Cell {
        let turn = self.symmetry.swapped(cell.row.kind, cell.column.kind, cell.turn);
        let mirror = Cell { row: cell.column, column: cell.row, turn };
        match cell.row.cmp(&cell.column) {
            std::cmp::Ordering::Greater => cell,
            std::cmp::Ordering::Less => mirror,
            std::cmp::Ordering::Equal if mirror.turn < cell.turn => mirror,
            std::cmp::Ordering::Equal => cell,
        }
    }

    /// A position with this index, or `None` past the end of the table. Its row's lane is
    /// canonical.
    pub fn unrank(&self, index: u64) -> Option<Position> {
        if index >= self.entries() {
            return None;
        }
        let number = self.sections.partition_point(|(first, _)| *first <= index) - 1;
        let (first, layout) = &self.sections[number];
        let cell = layout.cell(index - first);
        let section = layout.section();
        let a = *self.lanes(section.rows).lane(cell.row);
        let y = self.lanes(section.columns).lane(cell.column);
        let kinds = (cell.row.kind, cell.column.kind);
        let turn: PermId = self.symmetry.representative(kinds.0, kinds.1, cell.turn);
        Some(Position { a, b: y.renamed(self.symmetry.perm(turn)) })
    }
}
