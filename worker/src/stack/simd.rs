//! Sixteen 16-bit values at a time: which instructions are used for them.
//!
//! The solver's inner loops are plain Rust over arrays of [`LANES`] values, which compilers
//! turn into vector code. They are compiled twice, for the baseline of the target and for
//! AVX2, and the one the machine can run is chosen at run time. Only the transposition of a
//! tile is written with intrinsics. Both ways give the same values.

/// Values handled together.
pub(crate) const LANES: usize = 16;

/// One 16-bit value for each of sixteen rows or columns.
pub(crate) type Values = [u16; LANES];

/// Sixteen times sixteen values.
pub(crate) type Tile = [Values; LANES];

/// Instructions the inner loops are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// What every processor of the target has.
    Portable,
    /// 256-bit integer vectors of x86-64.
    Avx2,
}

impl Isa {
    /// The best that this machine can run.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Isa::Avx2;
        }
        Isa::Portable
    }
}

/// A computation that is compiled for each [`Isa`]. Implementations mark `run`, and what it
/// calls in its loops, `#[inline(always)]`, so that all of it is compiled for that `Isa`.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;

    /// Does the computation.
    fn run<S: Simd>(self) -> Self::Output;
}

/// The operations that are written differently for each [`Isa`].
pub(crate) trait Simd {
    /// Swaps rows and columns.
    fn transpose(tile: &Tile) -> Tile;
}

/// Runs a kernel compiled for `isa`.
pub(crate) fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa {
        Isa::Portable => kernel.run::<Portable>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::dispatch(kernel),
        #[cfg(not(target_arch = "x86_64"))]
        Isa::Avx2 => kernel.run::<Portable>(),
    }
}

struct Portable;

impl Simd for Portable {
    #[inline(always)]
    fn transpose(tile: &Tile) -> Tile {
        std::array::from_fn(|column| std::array::from_fn(|row| tile[row][column]))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_permute2x128_si256, _mm256_unpackhi_epi16, _mm256_unpacklo_epi16,
    };

    use super::{Kernel, LANES, Simd, Tile};

    struct Avx2;

    pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
        assert!(std::arch::is_x86_feature_detected!("avx2"), "AVX2 was asked for but is missing");
        // SAFETY: the machine has AVX2, as just checked (the answer is cached by std).
        unsafe { run(kernel) }
    }

    #[target_feature(enable = "avx2")]
    fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }

    impl Simd for Avx2 {
        #[inline(always)]
        fn transpose(tile: &Tile) -> Tile {
            // SAFETY: `Avx2` is private to this module and only named in `run`, which is only
            // called where AVX2 has been found.
            unsafe { transpose(tile) }
        }
    }

    /// Four 8 x 8 blocks are moved to where their transposes belong, and then transposed in
    /// their 128-bit halves by three rounds of interleaving, each of which rotates the bits of
    /// (row, column) by one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose(tile: &Tile) -> Tile {
        // SAFETY: both types are 512 bytes without padding, and every bit pattern is valid.
        let rows: [__m256i; LANES] = unsafe { std::mem::transmute(*tile) };
        let mut columns = rows;
        for half in 0..2 {
            let mut block = [rows[0]; 8];
            for i in 0..8 {
                block[i] = if half == 0 {
                    _mm256_permute2x128_si256::<0x20>(rows[i], rows[i + 8])
                } else {
                    _mm256_permute2x128_si256::<0x31>(rows[i], rows[i + 8])
                };
            }
            for _round in 0..3 {
                let from = block;
                for i in 0..4 {
                    block[2 * i] = _mm256_unpacklo_epi16(from[i], from[i + 4]);
                    block[2 * i + 1] = _mm256_unpackhi_epi16(from[i], from[i + 4]);
                }
            }
            columns[8 * half..8 * half + 8].copy_from_slice(&block);
        }
        // SAFETY: as above, the other way round.
        unsafe { std::mem::transmute(columns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Transpose(Tile);

    impl Kernel for Transpose {
        type Output = Tile;

        #[inline(always)]
        fn run<S: Simd>(self) -> Tile {
            S::transpose(&self.0)
        }
    }

    #[test]
    fn tiles_are_transposed_alike() {
        let tile = std::array::from_fn(|r| std::array::from_fn(|c| (r * LANES + c) as u16));
        for isa in [Isa::Portable, Isa::detect()] {
            let transposed = dispatch(isa, Transpose(tile));
            for (r, row) in tile.iter().enumerate() {
                for (c, &value) in row.iter().enumerate() {
                    assert_eq!(transposed[c][r], value, "{isa:?}");
                }
            }
        }
    }
}
