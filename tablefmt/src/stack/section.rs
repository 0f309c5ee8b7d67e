//! The entries of one section: rows, blocks of columns, and where each stands.
//!
//! Section `(k, l)`, `k >= l`, holds the positions in which one lane has `k` stock cards and
//! the other `l`. A *row* is a canonical lane `x` with `k` stock cards. Its columns are the
//! lanes with `l` up to the renamings that keep `x`: for each kind of canonical lane `y`, and
//! each [`Turn`] of the two kinds, one *block* with all `y` of the kind in order. So a block is
//! contiguous, and renaming stacks moves whole blocks.
//!
//! In a section `(k, k)` a pair of lanes would stand twice, so a row only has columns whose `y`
//! does not come after its `x`: the section is *triangular*. Its square form, with full rows,
//! is what solvers work on.

use super::lanes::{LaneId, LaneTable};
use super::symmetry::{Kind, Symmetry, Turn};

/// A section by the stock cards of its lanes, `rows >= columns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Section {
    /// Stock cards of the lane that numbers the rows.
    pub rows: u8,
    /// Stock cards of the other lane.
    pub columns: u8,
}

impl Section {
    /// The section of two lanes with so many stock cards, in either order.
    pub fn of(a: u8, b: u8) -> Self {
        Section { rows: a.max(b), columns: a.min(b) }
    }

    /// Stock cards of a position of the section: the number of possible draws.
    pub fn level(self) -> u8 {
        self.rows + self.columns
    }

    /// Whether both lanes have the same number of stock cards.
    pub fn is_triangular(self) -> bool {
        self.rows == self.columns
    }

    /// All sections of a table in order: by level, then by rows.
    pub fn all(cards: u8) -> impl Iterator<Item = Section> {
        (0..=2 * cards).flat_map(move |level| {
            (level.div_ceil(2)..=level.min(cards))
                .map(move |rows| Section { rows, columns: level - rows })
        })
    }
}

impl std::fmt::Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.rows, self.columns)
    }
}

/// The rows of one kind.
#[derive(Debug, Clone)]
struct KindRows {
    /// Number of rows.
    rows: u32,
    /// Row number of the first of them.
    first_row: u32,
    /// Entry of the section at which they start.
    first_entry: u64,
    /// Columns of a full row.
    width: u32,
    /// By kind of the column lane: column at which its blocks start.
    blocks: Vec<u32>,
}

/// Where the entries of a section stand.
#[derive(Debug, Clone)]
pub struct SectionLayout {
    section: Section,
    kinds: Vec<KindRows>,
    /// By kind: number of column lanes.
    columns: Vec<u32>,
    /// By kind of row and of column: number of turns.
    turns: Vec<u32>,
    entries: u64,
}

/// A place in a section: the row's lane, the column's lane, and how they are turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The lane with more stock cards.
    pub row: LaneId,
    /// The other lane.
    pub column: LaneId,
    /// How the column's lane is turned against the row's.
    pub turn: Turn,
}

impl SectionLayout {
    /// Lays out a section over the lanes of its rows and columns.
    pub fn new(section: Section, symmetry: &Symmetry, rows: &LaneTable, cols: &LaneTable) -> Self {
        let kinds = || (0..symmetry.kinds()).map(|k| Kind(k as u8));
        let columns: Vec<u32> = kinds().map(|y| cols.of_kind(y).len() as u32).collect();
        let turns = kinds().flat_map(|x| kinds().map(move |y| symmetry.turn_count(x, y) as u32));
        let turns: Vec<u32> = turns.collect();
        let mut layout = SectionLayout { section, kinds: Vec::new(), columns, turns, entries: 0 };
        let mut first_row = 0;
        for x in kinds() {
            let mut blocks = Vec::new();
            let mut width = 0;
            for y in kinds() {
                blocks.push(width);
                width += layout.turns(x, y) * layout.columns[usize::from(y.0)];
            }
            let rows = rows.of_kind(x).len() as u32;
            let first_entry = layout.entries;
            layout.kinds.push(KindRows { rows, first_row, first_entry, width, blocks });
            layout.entries += layout.entries_before(x, rows);
            first_row += rows;
        }
        layout
    }

    fn turns(&self, x: Kind, y: Kind) -> u32 {
        self.turns[usize::from(x.0) * self.kinds_count() + usize::from(y.0)]
    }

    fn kinds_count(&self) -> usize {
        self.columns.len()
    }

    fn kind(&self, kind: Kind) -> &KindRows {
        &self.kinds[usize::from(kind.0)]
    }

    /// Entries of the first `rows` rows of a kind.
    fn entries_before(&self, kind: Kind, rows: u32) -> u64 {
        let rows = u64::from(rows);
        if self.section.is_triangular() {
            let full = u64::from(self.kind_blocks_start(kind));
            let turns = u64::from(self.turns(kind, kind));
            rows * full + turns * (rows * (rows + 1) / 2)
        } else {
            rows * u64::from(self.kind(kind).width)
        }
    }

    fn kind_blocks_start(&self, kind: Kind) -> u32 {
        self.kind(kind).blocks[usize::from(kind.0)]
    }

    /// The section.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Number of entries as stored.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Number of rows.
    pub fn rows(&self) -> u32 {
        self.kinds.last().map_or(0, |k| k.first_row + k.rows)
    }

    /// The number of a row in the section.
    pub fn row_number(&self, row: LaneId) -> u32 {
        self.kind(row.kind).first_row + row.place
    }

    /// The row with a number.
    ///
    /// # Panics
    /// When there is no such row.
    pub fn row(&self, number: u32) -> LaneId {
        let kind = self.kinds.partition_point(|k| k.first_row + k.rows <= number);
        LaneId { kind: Kind(kind as u8), place: number - self.kinds[kind].first_row }
    }

    /// Columns of a full row.
    pub fn width(&self, kind: Kind) -> u32 {
        self.kind(kind).width
    }

    /// Columns of a row as stored: fewer than [`width`](Self::width) in a triangular section.
    pub fn stored_width(&self, row: LaneId) -> u32 {
        if self.section.is_triangular() {
            self.kind_blocks_start(row.kind) + self.turns(row.kind, row.kind) * (row.place + 1)
        } else {
            self.width(row.kind)
        }
    }

    /// Entry of the section at which a row starts.
    pub fn row_start(&self, row: LaneId) -> u64 {
        self.kind(row.kind).first_entry + self.entries_before(row.kind, row.place)
    }

    /// Entry at which a row starts in the square form, where all rows are full.
    pub fn square_row_start(&self, row: LaneId) -> u64 {
        let before = &self.kinds[..usize::from(row.kind.0)];
        let before: u64 = before.iter().map(|k| u64::from(k.rows) * u64::from(k.width)).sum();
        before + u64::from(row.place) * u64::from(self.width(row.kind))
    }

    /// Entries of the square form.
    pub fn square_entries(&self) -> u64 {
        self.kinds.iter().map(|k| u64::from(k.rows) * u64::from(k.width)).sum()
    }

    /// Column of a full row at which the block of a column kind and turn starts.
    pub fn block(&self, row: Kind, column: Kind, turn: Turn) -> u32 {
        let blocks = self.kind(row).blocks[usize::from(column.0)];
        blocks + u32::from(turn.0) * self.columns[usize::from(column.0)]
    }

    /// Columns of a block of a full row.
    pub fn block_width(&self, column: Kind) -> u32 {
        self.columns[usize::from(column.0)]
    }

    /// Columns of a block of `row` as stored: how many of the column lanes do not come after
    /// the row's lane.
    pub fn stored_block_width(&self, row: LaneId, column: Kind) -> u32 {
        match column.cmp(&row.kind) {
            std::cmp::Ordering::Equal if self.section.is_triangular() => row.place + 1,
            std::cmp::Ordering::Greater if self.section.is_triangular() => 0,
            _ => self.block_width(column),
        }
    }

    /// Column of a row as stored at which the block of a column kind and turn starts.
    pub fn stored_block(&self, row: LaneId, column: Kind, turn: Turn) -> u32 {
        let blocks = self.kind(row.kind).blocks[usize::from(column.0)];
        blocks + u32::from(turn.0) * self.stored_block_width(row, column)
    }

    /// Entry of the section at which a cell is stored.
    pub fn entry(&self, cell: Cell) -> u64 {
        let block = self.stored_block(cell.row, cell.column.kind, cell.turn);
        self.row_start(cell.row) + u64::from(block + cell.column.place)
    }

    /// The row that holds an entry of the section, and the entry's column there as stored.
    ///
    /// # Panics
    /// When the section has no such entry.
    pub fn row_of_entry(&self, entry: u64) -> (LaneId, u32) {
        assert!(entry < self.entries, "entry {entry} of section {}", self.section);
        let end = |k: usize| {
            let rows = self.kinds[k].rows;
            self.kinds[k].first_entry + self.entries_before(Kind(k as u8), rows)
        };
        let kind = (0..self.kinds.len()).find(|&k| entry < end(k)).expect("entry is in a kind");
        let (mut low, mut high) = (0, self.kinds[kind].rows);
        let kind = Kind(kind as u8);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.row_start(LaneId { kind, place: middle }) <= entry {
                low = middle;
            } else {
                high = middle;
            }
        }
        let row = LaneId { kind, place: low };
        (row, (entry - self.row_start(row)) as u32)
    }

    /// The cell stored at an entry of the section.
    ///
    /// # Panics
    /// When the section has no such entry.
    pub fn cell(&self, entry: u64) -> Cell {
        let (row, column) = self.row_of_entry(entry);
        let blocks = &self.kind(row.kind).blocks;
        // Kinds without lanes have empty blocks at the same start as the next one.
        let kind = Kind((blocks.partition_point(|&start| start <= column) - 1) as u8);
        let inside = column - blocks[usize::from(kind.0)];
        let width = self.stored_block_width(row, kind);
        let turn = Turn((inside / width) as u8);
        Cell { row, column: LaneId { kind, place: inside % width }, turn }
    }
}
