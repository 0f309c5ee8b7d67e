//! Counting values.

use std::ops::AddAssign;

use serde::Serialize;

/// Bins of a histogram of shares: bin i holds those from i / 50 up to (i + 1) / 50, the last one
/// also 1.
pub const SHARE_BINS: usize = 50;

/// What is known of many values: how many there are, their sum and their histogram. All of it
/// is whole numbers, so it does not depend on the order in which values are seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many values.
    pub counted: u64,
    /// Those of positions that are surely lost.
    pub lost: u64,
    /// Those of positions that are surely won.
    pub won: u64,
    /// Their sum, in the unit of what is measured.
    pub sum: u64,
    /// How many values are in each bin.
    pub bins: Vec<u64>,
}

/// How often a value is seen, and what it says.
pub(super) struct Seen {
    pub(super) times: u64,
    pub(super) verdict: Verdict,
    /// The value, in the unit of what is measured, over all times.
    pub(super) sum: u64,
    pub(super) bin: usize,
}

/// Whether the end is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Lost,
    Open,
    Won,
}

impl Tally {
    /// Nothing counted yet.
    pub(super) fn new(bins: usize) -> Self {
        Tally { counted: 0, lost: 0, won: 0, sum: 0, bins: vec![0; bins] }
    }

    pub(super) fn see(&mut self, seen: Seen) {
        let Seen { times, verdict, sum, bin } = seen;
        self.counted += times;
        match verdict {
            Verdict::Lost => self.lost += times,
            Verdict::Open => {}
            Verdict::Won => self.won += times,
        }
        self.sum += sum;
        self.bins[bin] += times;
    }

    /// The mean of the values, of which `unit` make one; `None` if there are none.
    pub fn mean(&self, unit: u64) -> Option<f64> {
        (self.counted > 0).then(|| self.sum as f64 / unit as f64 / self.counted as f64)
    }

    /// Which share of the values `part` of them is; 0 if there are none.
    pub fn share(&self, part: u64) -> f64 {
        part as f64 / self.counted.max(1) as f64
    }
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.counted += other.counted;
        self.lost += other.lost;
        self.won += other.won;
        self.sum += other.sum;
        self.bins.iter_mut().zip(&other.bins).for_each(|(bin, more)| *bin += more);
    }
}

/// The bin of the share `part` of `whole`, which is not 0.
pub(super) fn share_bin(part: u64, whole: u64) -> usize {
    let bins = SHARE_BINS as u64;
    (part * bins / whole).min(bins - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fall_into_equal_bins() {
        let bins = [(0, 0), (1, 0), (2, 1), (49, 24), (50, 25), (99, 49), (100, 49)];
        for (part, bin) in bins {
            assert_eq!(share_bin(part, 100), bin, "{part} %");
        }
    }

    #[test]
    fn tallies_add_up() {
        let see = |tally: &mut Tally, times, verdict, bin| {
            tally.see(Seen { times, verdict, sum: times * bin as u64, bin });
        };
        let (mut one, mut two, mut all) = (Tally::new(3), Tally::new(3), Tally::new(3));
        let values = [(5, Verdict::Lost, 0), (3, Verdict::Won, 2), (2, Verdict::Open, 1)];
        for (i, (times, verdict, bin)) in values.into_iter().enumerate() {
            see(if i == 0 { &mut one } else { &mut two }, times, verdict, bin);
            see(&mut all, times, verdict, bin);
        }
        one += &two;
        assert_eq!(one, all);
        assert_eq!((all.counted, all.lost, all.won), (10, 5, 3));
        assert_eq!((all.bins.as_slice(), all.mean(2)), (&[5, 2, 3][..], Some(0.4)));
        assert_eq!((all.share(all.lost), Tally::new(1).share(0)), (0.5, 0.0));
        assert_eq!(Tally::new(1).mean(1), None);
    }
}
