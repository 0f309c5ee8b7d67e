//! Single values of a published table, without fetching it.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::cache::FrameCache;
use super::error::RemoteError;
use super::{Remote, io_error};
use crate::objects::Threads;
use crate::reader::Table;
use crate::source::ReadAt;

/// Bytes of decoded frames that are kept in memory.
const DECODED: u64 = 64 << 20;

/// A published table, open for reading values.
///
/// The first value takes a request for the manifest, one for the seek table of the data file,
/// and one for the frame. Frames have checksums, so damage is seen; but only fetching the whole
/// table shows whether its values are those of the identity.
pub struct RemoteTable {
    remote: Remote,
    table: Table,
}

impl RemoteTable {
    /// Reads the manifest of a table. What is read later is kept in the cache.
    ///
    /// # Errors
    /// [`RemoteError`].
    pub fn open(remote: Remote, cache: Option<FrameCache>) -> Result<RemoteTable, RemoteError> {
        let threads = Arc::new(Threads::new(1, &remote.url())?);
        let asked = remote.clone();
        let (_, manifest, layout) = threads.run(async move { asked.manifest().await })?;
        let files = remote.clone();
        let table = Table::from_files_when_needed(manifest, &layout, DECODED, move |file| {
            let (name, digest) = (file.name.clone(), file.blake3.clone());
            let (remote, cache, threads) = (files.clone(), cache.clone(), Arc::clone(&threads));
            let source = RemoteFile { remote, threads, name, digest, length: file.bytes, cache };
            Ok((Box::new(source), files.path(&file.name)))
        });
        Ok(RemoteTable { remote, table })
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Where it is.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }
}

/// A data file on a server.
struct RemoteFile {
    remote: Remote,
    threads: Arc<Threads>,
    name: String,
    digest: String,
    length: u64,
    cache: Option<FrameCache>,
}

impl ReadAt for RemoteFile {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buf.len() as u64).filter(|end| *end <= self.length);
        let Some(end) = end else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        let part = offset..end;
        if buf.is_empty() {
            return Ok(());
        }
        if self.cache.as_ref().is_some_and(|cache| cache.get(&self.digest, &part, buf)) {
            return Ok(());
        }
        let (remote, name, length) = (self.remote.clone(), self.name.clone(), self.length);
        let asked = part.clone();
        let bytes = self.threads.run(async move { remote.part(&name, asked, length).await });
        buf.copy_from_slice(&bytes.map_err(io_error)?);
        if let Some(cache) = &self.cache {
            // A full disk is no reason not to tell the value.
            let _ = cache.put(&self.digest, &part, buf);
        }
        Ok(())
    }

    fn forget(&self, part: Range<u64>) {
        if let Some(cache) = &self.cache {
            cache.remove(&self.digest, &part);
        }
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.length)
    }
}
