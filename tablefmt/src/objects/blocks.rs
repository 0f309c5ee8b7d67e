//! Objects of a bucket, read where needed.
//!
//! Asking for every frame by itself would take longer than the frame does, so whole blocks are
//! read, and kept for a while. Nobody reads a block that somebody else is reading already. A
//! reader that goes on where it stopped finds the next blocks under way.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use quick_cache::sync::Cache;

use crate::source::ReadAt;

use super::bucket::{Bucket, Object};
use super::error::StoreError;
use super::transfer;

/// Bytes of a block.
const BLOCK: u64 = 1 << 20;
/// Blocks that are read ahead.
const AHEAD: u64 = 4;

/// Blocks by reader and number. Readers do not share blocks: an object that was damaged may
/// have been replaced when the next one opens it.
#[derive(Debug)]
pub(super) struct BlockCache {
    blocks: Arc<Cache<(u64, u64), Bytes>>,
    readers: AtomicU64,
}

impl BlockCache {
    /// Room for so many bytes, and at least for what one reader reads ahead.
    pub(super) fn new(bytes: u64) -> BlockCache {
        let blocks = Arc::new(Cache::new((bytes / BLOCK).max(2 * AHEAD) as usize));
        BlockCache { blocks, readers: AtomicU64::new(0) }
    }
}

/// An object of a bucket.
pub(super) struct BlockReader {
    bucket: Arc<Bucket>,
    object: Object,
    length: u64,
    /// Tells its blocks from those of others.
    number: u64,
    /// The block after the last one that was read.
    next: AtomicU64,
}

impl BlockReader {
    pub(super) fn new(bucket: Arc<Bucket>, object: Object, length: u64) -> BlockReader {
        let number = bucket.cache.readers.fetch_add(1, Ordering::Relaxed);
        // No block comes after this one: the first read is not the next one of anything.
        let next = AtomicU64::new(u64::MAX);
        BlockReader { bucket, object, length, number, next }
    }

    /// A block, from memory or from the bucket.
    fn fetch(&self, block: u64) -> impl Future<Output = Result<Bytes, StoreError>> + use<> {
        let (object, length) = (self.object.clone(), self.length);
        let (blocks, key) = (self.bucket.cache.blocks.clone(), (self.number, block));
        async move {
            let range = block * BLOCK..length.min((block + 1) * BLOCK);
            blocks.get_or_insert_async(&key, transfer::fetch(&object, range, length)).await
        }
    }

    fn block(&self, block: u64) -> Result<Bytes, StoreError> {
        match self.bucket.cache.blocks.get(&(self.number, block)) {
            Some(bytes) => Ok(bytes),
            None => self.bucket.run(self.fetch(block)),
        }
    }

    /// Starts reading the blocks after those from `first` to `last`, if these go on where the
    /// reads before stopped. Several threads that read together are not quite in order.
    fn read_ahead(&self, first: u64, last: u64) {
        let before = self.next.swap(last + 1, Ordering::Relaxed);
        if first.abs_diff(before) > AHEAD {
            return;
        }
        let end = self.length.div_ceil(BLOCK);
        for block in (last + 1..=last + AHEAD).take_while(|block| *block < end) {
            if !self.bucket.cache.blocks.contains_key(&(self.number, block)) {
                let fetched = self.fetch(block);
                // Whoever needs the block tries again, and tells the error.
                self.bucket.spawn(async move { drop(fetched.await) });
            }
        }
    }
}

impl ReadAt for BlockReader {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buf.len() as u64).filter(|end| *end <= self.length);
        let Some(end) = end else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        if buf.is_empty() {
            return Ok(());
        }
        let (first, last) = (offset / BLOCK, (end - 1) / BLOCK);
        self.read_ahead(first, last);
        let mut rest = buf;
        for block in first..=last {
            let bytes = self.block(block).map_err(io_error)?;
            let from = offset.saturating_sub(block * BLOCK) as usize;
            let (now, later) = rest.split_at_mut(rest.len().min(bytes.len() - from));
            now.copy_from_slice(&bytes[from..from + now.len()]);
            rest = later;
        }
        Ok(())
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.length)
    }
}

/// Keeps apart what readers of shards tell apart: missing, damaged, and all else.
fn io_error(error: StoreError) -> io::Error {
    let kind = match &error {
        StoreError::Missing { .. } => io::ErrorKind::NotFound,
        StoreError::Corrupt { .. } => io::ErrorKind::InvalidData,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
