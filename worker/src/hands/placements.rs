//! In how many ways a hand's suits can be laid beside another's.
//!
//! With one hand fixed, the hands of a cluster are the ways to send the four parts of the cluster
//! to the four suits. Part `t` can go to suit `s` if it has no rank that the fixed hand holds
//! there. So the ways are the permanents of 4 x 4 matrices of zeros and ones.

/// Permanents of all 4 x 4 matrices of zeros and ones, given as 16 bits, and of their minors.
#[derive(Debug)]
pub(super) struct Permanents {
    /// By matrix: for each `4 s + t`, how many ways send part `t` to suit `s`.
    ways: Vec<[u8; 16]>,
}

impl Permanents {
    pub(super) fn new() -> Self {
        let mut permutations = Vec::new();
        for a in 0..4 {
            for b in (0..4).filter(|&b| b != a) {
                for c in (0..4).filter(|&c| c != a && c != b) {
                    permutations.push([a, b, c, 6 - a - b - c]);
                }
            }
        }
        let bits = |p: &[usize; 4]| (0..4).map(|s| 1 << (4 * s + p[s])).sum::<usize>();
        let permutations: Vec<(usize, [usize; 4])> =
            permutations.iter().map(|p| (bits(p), *p)).collect();
        let mut ways = vec![[0; 16]; 1 << 16];
        for (matrix, ways) in ways.iter_mut().enumerate() {
            for (_, p) in permutations.iter().filter(|(bits, _)| matrix & bits == *bits) {
                (0..4).for_each(|s| ways[4 * s + p[s]] += 1);
            }
        }
        Permanents { ways }
    }

    /// For each `4 s + t`, how many ways send part `t` to suit `s`.
    #[inline]
    pub(super) fn ways(&self, matrix: u16) -> &[u8; 16] {
        &self.ways[usize::from(matrix)]
    }
}

/// How many ways there are at all, of the ways for each part and suit.
#[inline]
pub(super) fn total(ways: &[u8; 16]) -> u32 {
    ways[..4].iter().map(|&n| u32::from(n)).sum()
}

/// Which parts of one hand can be in which suits of another: the matrix of [`Permanents`].
#[inline]
pub(super) fn matrix(fixed: &[u16; 4], other: &[u16; 4]) -> u16 {
    let mut matrix = 0;
    for (s, fixed) in fixed.iter().enumerate() {
        for (t, other) in other.iter().enumerate() {
            matrix |= u16::from(fixed & other == 0) << (4 * s + t);
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permanents_of_some_matrices() {
        let permanents = Permanents::new();
        assert_eq!(*permanents.ways(u16::MAX), [6; 16]);
        assert_eq!(total(permanents.ways(u16::MAX)), 24);
        let identity = matrix(&[1, 2, 4, 8], &[!1, !2, !4, !8]);
        assert_eq!(identity, 0b1000_0100_0010_0001);
        assert_eq!(total(permanents.ways(identity)), 1);
        assert_eq!(total(permanents.ways(matrix(&[1, 1, 1, 1], &[0, 0, 0, 1]))), 0);
        assert_eq!(total(permanents.ways(matrix(&[1, 0, 0, 0], &[1, 0, 0, 0]))), 18);
    }
}
