//! A lock-free map from positions to their values, eight bytes each.
//!
//! Keys are spread by a one-to-one mapping of their bits. The upper bits of a spread key choose
//! a bucket of eight words, one cache line, so only the lower bits need be kept, and how many
//! buckets further on the entry stands because its own were full. Entries never move, so a
//! reader needs no lock, and two writers of one key meet at the same free word.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Words of a bucket: one cache line.
const BUCKET: usize = 8;
/// Bits of an entry for the value. A stored value is never 0, so that no entry is.
const VALUE_BITS: u32 = 24;
/// Bits of an entry for how far from its bucket it stands.
const AWAY_BITS: u32 = 3;
/// Smallest memo: 2^10 buckets, 64 KiB.
const FEWEST_BUCKETS: u32 = 10;
/// A size that no machine has: 2^48 buckets.
const MOST_BUCKETS: u32 = 48;

/// Chance to win in units of 1 / [`Value::ONE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(pub(super) u32);

impl Value {
    /// Certainty. One more must fit the bits of an entry.
    pub(super) const ONE: Self = Self((1 << VALUE_BITS) - 2);

    /// As a chance.
    pub(super) fn chance(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE.0)
    }
}

/// There is no room left for an entry.
#[derive(Debug)]
pub(super) struct Full;

/// The map.
#[derive(Debug)]
pub(super) struct Memo {
    key_bits: u32,
    bucket_bits: u32,
    words: Box<[AtomicU64]>,
    entries: AtomicUsize,
    /// Whether an entry found no room.
    refused: AtomicBool,
    /// Whether new entries take the places of old ones when there is no room.
    replaces: bool,
}

impl Memo {
    /// Logarithm of the fewest buckets of a map of keys of so many bits.
    fn fewest_buckets(key_bits: u32) -> u32 {
        FEWEST_BUCKETS.max(key_bits.saturating_sub(u64::BITS - VALUE_BITS - AWAY_BITS))
    }

    /// The smallest map of keys of so many bits that has room for so many entries.
    pub(super) fn new(key_bits: u32, entries: usize) -> Self {
        Self::with_buckets(key_bits, Self::buckets_for(key_bits, entries))
    }

    /// Logarithm of the buckets that a map of so many entries has.
    fn buckets_for(key_bits: u32, entries: usize) -> u32 {
        let fewest = Self::fewest_buckets(key_bits);
        let enough = |&bits: &u32| Self::room(bits) >= entries;
        (fewest..MOST_BUCKETS).find(enough).unwrap_or(MOST_BUCKETS)
    }

    fn with_buckets(key_bits: u32, bucket_bits: u32) -> Self {
        let words = (0..BUCKET << bucket_bits).map(|_| AtomicU64::new(0)).collect();
        let (entries, refused) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { key_bits, bucket_bits, words, entries, refused, replaces: false }
    }

    /// Bytes of the map that [`Memo::new`] makes.
    pub(super) fn bytes_for(key_bits: u32, entries: usize) -> u64 {
        ((BUCKET * size_of::<u64>()) as u64) << Self::buckets_for(key_bits, entries)
    }

    /// Entries that so many buckets take: three of four words, so that few entries stand away
    /// from their bucket.
    fn room(bucket_bits: u32) -> usize {
        (BUCKET << bucket_bits) / 4 * 3
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }

    /// Entries that it has.
    pub(super) fn len(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// Bits of a spread key that an entry keeps.
    fn kept_bits(&self) -> u32 {
        self.key_bits.saturating_sub(self.bucket_bits)
    }

    /// The entry of a spread key, without its value and how far away it stands; and its bucket.
    #[inline]
    fn split(&self, spread: u64) -> (u64, usize) {
        let kept = self.kept_bits();
        let bucket = (spread >> kept) as usize;
        ((spread & ((1 << kept) - 1)) << (VALUE_BITS + AWAY_BITS), bucket)
    }

    /// The words where an entry may stand, with the entry as it would be there, less its value.
    #[inline]
    fn places(&self, spread: u64) -> impl Iterator<Item = (&[AtomicU64], u64)> {
        let (entry, bucket) = self.split(spread);
        let mask = (1 << self.bucket_bits) - 1;
        (0..1 << AWAY_BITS).map(move |away| {
            let at = ((bucket + away) & mask) * BUCKET;
            (&self.words[at..at + BUCKET], entry | (away as u64) << VALUE_BITS)
        })
    }

    /// The value of a key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Value> {
        for (bucket, entry) in self.places(spread(key, self.key_bits)) {
            for word in bucket {
                let word = word.load(Ordering::Relaxed);
                if word & !VALUE == entry && word != 0 {
                    return Some(value_of(word));
                }
                if word == 0 {
                    return None;
                }
            }
        }
        None
    }

    /// Sets the value of a key. All writers of a key must give the same value.
    pub(super) fn insert(&self, key: u64, value: Value) -> Result<(), Full> {
        self.insert_spread(spread(key, self.key_bits), value)
    }

    /// Sets the value of a key that is spread already.
    pub(super) fn insert_spread(&self, spread: u64, value: Value) -> Result<(), Full> {
        let crowded = self.len() >= Self::room(self.bucket_bits);
        if crowded && !self.replaces {
            return Err(self.refuse());
        }
        // A crowded map that does not grow stays quick to search if few entries stand away.
        let reach = if crowded { 1 } else { 1 << AWAY_BITS };
        for (bucket, entry) in self.places(spread).take(reach) {
            for word in bucket {
                let new = entry | u64::from(value.0 + 1);
                let free = word.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed);
                match free {
                    Ok(_) => {
                        self.entries.fetch_add(1, Ordering::Relaxed);
                        return Ok(());
                    }
                    Err(there) if there & !VALUE == entry => {
                        debug_assert_eq!(value_of(there), value);
                        return Ok(());
                    }
                    Err(_) => {}
                }
            }
        }
        if self.replaces {
            self.replace(spread, value);
            return Ok(());
        }
        Err(self.refuse())
    }

    /// Puts an entry in the place of one in its bucket.
    fn replace(&self, spread: u64, value: Value) {
        let (entry, bucket) = self.split(spread);
        let victim = (spread as usize ^ bucket) % BUCKET;
        let word = &self.words[bucket * BUCKET + victim];
        word.store(entry | u64::from(value.0 + 1), Ordering::Relaxed);
    }

    /// From now on new entries take the places of old ones when there is no room.
    pub(super) fn stop_growing(&mut self) {
        self.replaces = true;
        self.refused = AtomicBool::new(false);
    }

    /// Whether it cannot grow and therefore forgets.
    pub(super) fn is_forgetful(&self) -> bool {
        self.replaces
    }

    fn refuse(&self) -> Full {
        self.refused.store(true, Ordering::Relaxed);
        Full
    }

    /// Whether an entry was refused for want of room.
    pub(super) fn is_crowded(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// All entries by spread key, nearly in rising order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, Value)> {
        let mask = (1 << self.bucket_bits) - 1;
        self.words.iter().enumerate().filter_map(move |(at, word)| {
            let word = word.load(Ordering::Relaxed);
            let away = (word >> VALUE_BITS) as usize & ((1 << AWAY_BITS) - 1);
            let bucket = (at / BUCKET).wrapping_sub(away) & mask;
            let spread = (bucket as u64) << self.kept_bits() | word >> (VALUE_BITS + AWAY_BITS);
            (word != 0).then(|| (spread, value_of(word)))
        })
    }

    /// A map of twice the size with all entries.
    pub(super) fn doubled(&self) -> Self {
        let mut bucket_bits = self.bucket_bits;
        loop {
            bucket_bits += 1;
            let larger = Self::with_buckets(self.key_bits, bucket_bits);
            let fits = self.entries().all(|(key, value)| larger.insert_spread(key, value).is_ok());
            if fits {
                return larger;
            }
        }
    }
}

/// The bits of an entry's value.
const VALUE: u64 = (1 << VALUE_BITS) - 1;

fn value_of(word: u64) -> Value {
    Value((word & VALUE) as u32 - 1)
}

/// Spreads keys of so many bits: a one-to-one mapping, for each step is.
#[inline]
fn spread(key: u64, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let shift = bits / 2 + 1;
    let key = (key ^ key >> shift).wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
    let key = (key ^ key >> shift).wrapping_mul(0xd6e8_feb8_6659_fd93) & mask;
    key ^ key >> shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn spreading_is_one_to_one() {
        for bits in [10, 13] {
            let mut seen: Vec<u64> = (0..1 << bits).map(|key| spread(key, bits)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..1 << bits));
        }
    }

    fn made_up(count: usize, bits: u32) -> HashMap<u64, Value> {
        let mut random = fastrand::Rng::with_seed(7);
        let mut entry = || (random.u64(0..1 << bits), Value(random.u32(0..=Value::ONE.0)));
        (0..count).map(|_| entry()).collect()
    }

    #[test]
    fn what_goes_in_comes_out() {
        for bits in [20, 40, 58] {
            let entries = made_up(4000, bits);
            let memo = Memo::new(bits, entries.len());
            for (&key, &value) in &entries {
                assert_eq!(memo.get(key), None);
                memo.insert(key, value).unwrap();
                memo.insert(key, value).unwrap();
            }
            assert_eq!(memo.len(), entries.len());
            let doubled = memo.doubled();
            assert_eq!(doubled.bytes(), 2 * memo.bytes());
            for (&key, &value) in &entries {
                assert_eq!(memo.get(key), Some(value));
                assert_eq!(doubled.get(key), Some(value));
            }
        }
    }

    #[test]
    fn a_full_memo_says_so() {
        let memo = Memo::new(40, 1);
        let entries = made_up(10_000, 40);
        let refused = entries.iter().filter(|&(&key, &value)| memo.insert(key, value).is_err());
        assert!(refused.count() >= entries.len() - Memo::room(FEWEST_BUCKETS));
    }

    #[test]
    fn a_forgetful_memo_takes_all_and_tells_no_lies() {
        let mut memo = Memo::new(40, 1);
        memo.stop_growing();
        let entries = made_up(20_000, 40);
        for (&key, &value) in &entries {
            memo.insert(key, value).unwrap();
            assert_eq!(memo.get(key), Some(value));
        }
        let known = entries.iter().filter(|&(&key, &value)| match memo.get(key) {
            Some(found) => {
                assert_eq!(found, value);
                true
            }
            None => false,
        });
        assert!(known.count() >= Memo::room(FEWEST_BUCKETS));
    }

    #[test]
    fn many_writers_do_not_double_entries() {
        let memo = Memo::new(30, 5000);
        let entries = made_up(5000, 30);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    entries.iter().for_each(|(&key, &value)| memo.insert(key, value).unwrap());
                });
            }
        });
        assert_eq!(memo.len(), entries.len());
        let found: HashMap<u64, Value> = memo.entries().collect();
        assert_eq!(found.len(), entries.len());
    }
}
