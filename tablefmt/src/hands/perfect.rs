//! Perfect hashing of the keys of rank multisets.
//!
//! Keys are cut into rows by their top bits. Each row has a displacement that sends all its
//! keys to slots of their own (hash and displace); looking a key up takes two loads.

/// From `u32` keys to 16-bit values, in `SLOTS` slots and `ROWS` rows, both powers of two.
#[derive(Debug, Clone)]
pub(super) struct PerfectIndex<const SLOTS: usize, const ROWS: usize> {
    displacement: Box<[u16; ROWS]>,
    values: Box<[u16; SLOTS]>,
}

impl<const SLOTS: usize, const ROWS: usize> PerfectIndex<SLOTS, ROWS> {
    const CHECK: () = {
        assert!(SLOTS.is_power_of_two() && SLOTS <= 1 << 16);
        assert!(ROWS.is_power_of_two());
    };
    const ROW_SHIFT: u32 = 32 - ROWS.trailing_zeros();

    #[inline(always)]
    fn row(key: u32) -> usize {
        (key >> Self::ROW_SHIFT) as usize & (ROWS - 1)
    }

    /// The bits below those of the row.
    #[inline(always)]
    fn column(key: u32) -> usize {
        (key >> (Self::ROW_SHIFT - SLOTS.trailing_zeros())) as usize & (SLOTS - 1)
    }

    /// The index of these keys, which must differ. `None` if keys of one row cannot be told
    /// apart or no displacement fits.
    pub(super) fn new(entries: &[(u32, u16)]) -> Option<Self> {
        const { Self::CHECK };
        let mut rows: Vec<Vec<(usize, u16)>> = vec![Vec::new(); ROWS];
        for &(key, value) in entries {
            rows[Self::row(key)].push((Self::column(key), value));
        }
        let mut order: Vec<usize> = (0..ROWS).collect();
        order.sort_by_key(|&row| std::cmp::Reverse(rows[row].len()));
        let mut taken = vec![false; SLOTS];
        let mut index = PerfectIndex {
            displacement: vec![0; ROWS].try_into().ok()?,
            values: vec![0; SLOTS].try_into().ok()?,
        };
        for row in order {
            let keys = &rows[row];
            let mut columns: Vec<usize> = keys.iter().map(|key| key.0).collect();
            columns.sort_unstable();
            columns.dedup();
            if columns.len() < keys.len() {
                return None;
            }
            let fits = |d: &usize| keys.iter().all(|(column, _)| !taken[column ^ d]);
            let displacement = (0..SLOTS).find(fits)?;
            index.displacement[row] = displacement as u16;
            for &(column, value) in keys {
                taken[column ^ displacement] = true;
                index.values[column ^ displacement] = value;
            }
        }
        Some(index)
    }

    /// The value of a key that it was made with; of other keys, some value.
    #[inline(always)]
    pub(super) fn get(&self, key: u32) -> u16 {
        let displacement = usize::from(self.displacement[Self::row(key)]);
        self.values[(Self::column(key) ^ displacement) & (SLOTS - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_value() {
        let key = |i: u32| i.wrapping_mul(0x9E37_79B9);
        let entries: Vec<(u32, u16)> = (0..6000).map(|i| (key(i), i as u16)).collect();
        let index = PerfectIndex::<8192, 2048>::new(&entries).unwrap();
        assert!(entries.iter().all(|&(key, value)| index.get(key) == value));
        assert!(PerfectIndex::<8192, 2048>::new(&[(1, 1), (1, 2)]).is_none());
    }
}
