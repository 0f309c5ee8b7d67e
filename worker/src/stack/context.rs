//! What all units of a section share.

use std::sync::Arc;

use retrotab_tablefmt::stack::{Kind, PermId, Ranking, Section, SectionLayout, Symmetry, Turn};

use super::batch::{Batch, Interleaved};
use super::combine::Combine;
use super::moves::{Child, LaneMoves, Moves};
use super::simd::{LANES, Values};

/// The most stock cards of one lane.
pub(super) const MAX_LANE_DRAWS: usize = 13;

/// Moves, placement masks and layouts of one section. Takes milliseconds to build.
#[derive(Debug)]
pub struct SectionContext {
    pub(super) ranking: Arc<Ranking>,
    section: Section,
    pub(super) combine: Combine,
    /// Moves of the rows' lanes.
    pub(super) row_moves: LaneMoves,
    /// Moves of the columns' lanes, and where they lead; `None` without stock cards.
    pub(super) column_moves: Option<(LaneMoves, Starts)>,
    /// By kind, all lanes of the columns.
    pub(super) columns: Vec<Vec<Batch>>,
}

impl SectionContext {
    /// Prepares a section other than the first, `(0, 0)`, which holds only the won position.
    ///
    /// # Panics
    /// For section `(0, 0)`.
    pub fn new(ranking: &Arc<Ranking>, section: Section) -> Self {
        assert!(section.rows > 0, "the won position is not solved");
        let lanes = ranking.lanes(section.columns);
        let cut = |kind| Batch::cut(lanes, kind, 0..lanes.of_kind(kind).len() as u32);
        let kinds = (0..ranking.symmetry().kinds()).map(|k| Kind(k as u8));
        let mut context = SectionContext {
            ranking: Arc::clone(ranking),
            section,
            combine: Combine::new(ranking.spec().rule, usize::from(section.level())),
            row_moves: LaneMoves::new(ranking, section.rows),
            column_moves: None,
            columns: kinds.map(cut).collect(),
        };
        context.column_moves = context.same_rows().map(|below| {
            let starts = Starts::new(ranking.symmetry(), ranking.section(below));
            (LaneMoves::new(ranking, section.columns), starts)
        });
        context
    }

    /// The section.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Where the section's entries stand.
    pub fn layout(&self) -> &SectionLayout {
        self.ranking.section(self.section)
    }

    /// The section that a draw from the column's lane leads to; it has the same rows. `None`
    /// when the columns' lanes have no stock card.
    pub fn same_rows(&self) -> Option<Section> {
        let columns = self.section.columns.checked_sub(1)?;
        Some(Section { rows: self.section.rows, columns })
    }

    /// The section that a draw from the row's lane leads to; it has other rows. `None` in a
    /// triangular section, where [`same_rows`](Self::same_rows) serves both draws.
    pub fn other_rows(&self) -> Option<Section> {
        let below = Section { rows: self.section.rows - 1, columns: self.section.columns };
        (!self.section.is_triangular()).then_some(below)
    }

    pub(super) fn symmetry(&self) -> &Symmetry {
        self.ranking.symmetry()
    }

    /// The turns of two kinds, each with its smallest permutation.
    pub(super) fn turns(&self, x: Kind, y: Kind) -> impl Iterator<Item = (Turn, PermId)> + '_ {
        let symmetry = self.symmetry();
        let turns = (0..symmetry.turn_count(x, y)).map(|t| Turn(t as u8));
        turns.map(move |turn| (turn, symmetry.representative(x, y, turn)))
    }

    /// Number of draws from the row's lane.
    pub(super) fn row_draws(&self) -> usize {
        usize::from(self.section.rows)
    }

    /// Number of draws from the column's lane.
    pub(super) fn column_draws(&self) -> usize {
        usize::from(self.section.columns)
    }
}

/// Where in a row the blocks start that a turned lane's draws lead to.
///
/// A draw takes a lane `t y` to `t r c`, with `c` canonical and `r` the renaming of its
/// [`Child`]; against a row of kind `X` that is the block of `c`'s kind and turn `X t r C`.
#[derive(Debug)]
pub(super) struct Starts {
    perms: usize,
    kinds: usize,
    starts: Vec<u32>,
}

impl Starts {
    fn new(symmetry: &Symmetry, layout: &SectionLayout) -> Self {
        let (perms, kinds) = (symmetry.perms(), symmetry.kinds());
        let all_perms = || (0..perms).map(|p| PermId(p as u8));
        let all_kinds = || (0..kinds).map(|k| Kind(k as u8));
        let mut starts = Vec::with_capacity((kinds * perms).pow(2));
        for rows in all_kinds() {
            for turned in all_perms() {
                for column in all_kinds() {
                    starts.extend(all_perms().map(|renaming| {
                        let perm = symmetry.product(turned, renaming);
                        layout.block(rows, column, symmetry.turn(rows, column, perm))
                    }));
                }
            }
        }
        Starts { perms, kinds, starts }
    }

    /// For rows of kind `rows` and lanes turned by `turned`.
    pub(super) fn of(&self, rows: Kind, turned: PermId) -> TurnedStarts<'_> {
        let size = self.kinds * self.perms;
        let at = (usize::from(rows.0) * self.perms + usize::from(turned.0)) * size;
        TurnedStarts { perms: self.perms, starts: &self.starts[at..at + size] }
    }
}

/// [`Starts`] for one kind of rows and one turning of the lanes.
#[derive(Clone, Copy)]
pub(super) struct TurnedStarts<'a> {
    perms: usize,
    starts: &'a [u32],
}

impl TurnedStarts<'_> {
    #[inline(always)]
    fn column(&self, child: Child) -> usize {
        let at = usize::from(child.kind().0) * self.perms + usize::from(child.renaming().0);
        (self.starts[at] + child.place()) as usize
    }
}

/// Sixteen lanes with their rows side by side, against which another lane is played that is
/// turned so that its stack `s` is their stack `images[s]`.
pub(super) struct Against<'a> {
    pub(super) batch: &'a Batch,
    pub(super) rows: &'a Interleaved,
    pub(super) starts: TurnedStarts<'a>,
    pub(super) images: &'a [u8],
}

impl Against<'_> {
    /// For each of the `draws` draws from the lane with these moves, the best value against
    /// each of the sixteen.
    #[inline(always)]
    pub(super) fn best_of_draws(
        &self,
        moves: Moves<'_>,
        draws: usize,
        best: &mut [Values; MAX_LANE_DRAWS],
    ) {
        best[0] = *self.rows.column(self.starts.column(moves.play));
        best[1..draws].fill([0; LANES]);
        for (stack, &image) in self.images.iter().enumerate() {
            let image = usize::from(image);
            let children = moves.on_stack(stack);
            let allowed = self.batch.allowed_on(image);
            let count = self.batch.placements(image, children.len());
            for (i, &child) in children[..count].iter().enumerate() {
                let values = self.rows.column(self.starts.column(child));
                take_best(&mut best[i + 1], values, &allowed[i + 2]);
            }
        }
    }
}

/// Raises `best` to `values` where `mask` allows it.
#[inline(always)]
pub(super) fn take_best(best: &mut Values, values: &Values, mask: &Values) {
    for lane in 0..LANES {
        best[lane] = best[lane].max(values[lane] & mask[lane]);
    }
}
