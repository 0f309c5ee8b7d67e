//! Sixteen rows of a section whose lanes have different numbers of stock cards.

use retrotab_tablefmt::stack::{Kind, LaneId, PermId};

use super::batch::{Batch, Interleaved};
use super::combine::{Draws, MAX_DRAWS};
use super::context::{Against, MAX_LANE_DRAWS, SectionContext, take_best};
use super::rows::RowSource;
use super::simd::{Kernel, LANES, Simd, Tile, Values};
use crate::error::InputError;

/// Buffers of one thread.
#[derive(Debug)]
pub(super) struct Scratch {
    same_arena: Vec<u16>,
    other_arena: Vec<u16>,
    interleaved: Interleaved,
    draws: Box<Draws>,
    by_column: Box<[Tile; MAX_LANE_DRAWS]>,
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch {
            same_arena: Vec::new(),
            other_arena: Vec::new(),
            interleaved: Interleaved::default(),
            draws: Box::new([[[0; LANES]; LANES]; MAX_DRAWS]),
            by_column: Box::new([[[0; LANES]; LANES]; MAX_LANE_DRAWS]),
        }
    }
}

/// Solves a batch of rows.
pub(super) struct Rectangle<'a> {
    pub(super) context: &'a SectionContext,
    pub(super) rows: &'a Batch,
    /// Rows of [`SectionContext::same_rows`].
    pub(super) same: Option<&'a dyn RowSource>,
    /// Rows of [`SectionContext::other_rows`].
    pub(super) other: &'a dyn RowSource,
    pub(super) scratch: &'a mut Scratch,
    /// The rows' values, row after row.
    pub(super) out: &'a mut [u16],
}

impl Kernel for Rectangle<'_> {
    type Output = Result<(), InputError>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let Rectangle { context, rows, same, other, scratch, out } = self;
        let Scratch { same_arena, other_arena, interleaved, draws, by_column } = scratch;
        if let (Some(section), Some(same)) = (context.same_rows(), same) {
            let lanes: Vec<LaneId> = rows.lanes().collect();
            let lent = same.lend(&lanes, same_arena)?;
            let width = context.ranking.section(section).width(rows.kind) as usize;
            interleaved.fill::<S>(&lent, width);
        }
        let children = RowChildren::lend(context, rows, other, other_arena)?;
        let width = context.layout().width(rows.kind) as usize;
        let mut streams = Vec::new();
        for (y, tiles) in context.columns.iter().enumerate().filter(|(_, t)| !t.is_empty()) {
            let kind = Kind(y as u8);
            for (turn, perm) in context.turns(rows.kind, kind) {
                children.streams(context, kind, perm, &mut streams);
                let against = context.column_moves.as_ref().map(|(moves, starts)| {
                    let images = context.symmetry().perm(perm).images();
                    let starts = starts.of(rows.kind, perm);
                    (moves, Against { batch: rows, rows: interleaved, starts, images })
                });
                let inverse = context.symmetry().inverse(perm);
                let inverse = context.symmetry().perm(inverse).images();
                let block = context.layout().block(rows.kind, kind, turn) as usize;
                for tile in tiles {
                    children.row_draws(&streams, tile, inverse, draws);
                    if let Some((moves, against)) = &against {
                        let draws_from_columns = context.column_draws();
                        for (i, lane) in tile.lanes().enumerate() {
                            let mut best = [[0; LANES]; MAX_LANE_DRAWS];
                            against.best_of_draws(moves.of(lane), draws_from_columns, &mut best);
                            for (tile, best) in by_column.iter_mut().zip(best) {
                                tile[i] = best;
                            }
                        }
                        for draw in 0..draws_from_columns {
                            let transposed = S::transpose(&by_column[draw]);
                            draws[context.row_draws() + draw] = transposed;
                        }
                    }
                    let column = block + tile.first as usize;
                    for row in 0..rows.len {
                        let values = context.combine.combine(draws, row);
                        let to = &mut out[row * width + column..][..tile.len];
                        to.copy_from_slice(&values[..tile.len]);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The rows that draws from sixteen rows' lanes lead to.
struct RowChildren<'a> {
    draws: usize,
    rows: Vec<OneRow>,
    children: Vec<RowChild<'a>>,
}

/// Where the children of one row are listed: its play, and from `stacks[s]` to `stacks[s + 1]`
/// its placements on stack `s`.
struct OneRow {
    play: usize,
    stacks: Vec<usize>,
}

struct RowChild<'a> {
    kind: Kind,
    undo: PermId,
    values: &'a [u16],
}

impl<'a> RowChildren<'a> {
    fn lend(
        context: &SectionContext,
        rows: &Batch,
        source: &'a dyn RowSource,
        arena: &'a mut Vec<u16>,
    ) -> Result<Self, InputError> {
        let moves = || rows.lanes().map(|lane| context.row_moves.of(lane));
        let mut wanted: Vec<LaneId> =
            moves().flat_map(|moves| moves.all().map(|child| child.lane())).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let lent = source.lend(&wanted, arena)?;
        let mut found =
            RowChildren { draws: context.row_draws(), rows: Vec::new(), children: Vec::new() };
        for moves in moves() {
            let play = found.children.len();
            found.children.extend(moves.all().map(|child| {
                let at = wanted.binary_search(&child.lane()).expect("every child was wanted");
                let undo = context.symmetry().inverse(child.renaming());
                RowChild { kind: child.kind(), undo, values: lent[at] }
            }));
            let mut next = play + 1;
            let mut stacks = vec![next];
            for stack in 0..usize::from(context.ranking.spec().stacks.get()) {
                next += moves.on_stack(stack).len();
                stacks.push(next);
            }
            found.rows.push(OneRow { play, stacks });
        }
        Ok(found)
    }

    /// For every child the values that stand beside the block of columns of kind `column`
    /// turned by `perm`: a draw takes row `x` to `r c`, `c` canonical, and position
    /// `(r c, perm y)` is `(c, r^-1 perm y)`.
    fn streams(
        &self,
        context: &SectionContext,
        column: Kind,
        perm: PermId,
        streams: &mut Vec<&'a [u16]>,
    ) {
        let symmetry = context.symmetry();
        let below = context.other_rows().expect("a rectangle has other rows");
        let layout = context.ranking.section(below);
        streams.clear();
        streams.extend(self.children.iter().map(|child| {
            let turned = symmetry.product(child.undo, perm);
            let turn = symmetry.turn(child.kind, column, turned);
            &child.values[layout.block(child.kind, column, turn) as usize..]
        }));
    }

    /// Fills in the best values of the draws from the rows' lanes for a tile of columns;
    /// `images[s]` is the columns' stack that is the rows' stack `s`.
    #[inline(always)]
    fn row_draws(&self, streams: &[&[u16]], tile: &Batch, images: &[u8], draws: &mut Draws) {
        let at = tile.first as usize;
        for (i, row) in self.rows.iter().enumerate() {
            draws[0][i] = *values_at(streams[row.play], at);
            for draw in &mut draws[1..self.draws] {
                draw[i] = [0; LANES];
            }
            for (stack, &image) in images.iter().enumerate() {
                let streams = &streams[row.stacks[stack]..row.stacks[stack + 1]];
                let image = usize::from(image);
                let allowed = tile.allowed_on(image);
                let count = tile.placements(image, streams.len());
                for (draw, stream) in streams[..count].iter().enumerate() {
                    take_best(&mut draws[draw + 1][i], values_at(stream, at), &allowed[draw + 2]);
                }
            }
        }
    }
}

#[inline(always)]
fn values_at(stream: &[u16], at: usize) -> &Values {
    stream[at..].first_chunk().expect("rows are padded")
}
