//! Fetching a published table: checked while it comes, resumed where it stopped.
//!
//! The manifest decides what is fetched; all its names and bounds are checked before use. A data
//! file comes from one server at a time, over several connections, in pieces of whole frames.
//! Each piece is decoded, hashed and only then appended to `NAME.part`; so what an earlier fetch
//! left is frames that decode, and is checked again. When the digests of the whole file are
//! those of the manifest, it gets its name. When the digest of all values is the identity,
//! SHA256SUMS and, last, the manifest are written: until then the folder is no table.
//!
//! A server that fails or lies is not asked again, and named if none is left.

mod error;
mod file;
mod pieces;
mod servers;

use std::fs::{self, File, TryLockError};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::durable;
use crate::error::TableError;
use crate::hashing::Identity;
use crate::layout::{Frames, TableLayout};
use crate::manifest::{MANIFEST, Manifest, SHA256SUMS};
use crate::objects::Threads;
use crate::remote::{Bearer, Patience, Remote, RemoteError};

pub use error::{Failed, FetchError};

use file::FileFetch;
use servers::Servers;

/// Threads that wait for the network.
const THREADS: usize = 2;

/// Which data files are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All of them, so that the folder becomes a table.
    All,
    /// Only these, which are checked one by one.
    Files(Vec<String>),
}

/// How a table is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchOptions {
    /// Other URLs of the same table, in the order in which they are tried.
    pub mirrors: Vec<String>,
    /// Which files.
    pub wanted: Wanted,
    /// The identity that the table must have, if it is known.
    pub identity: Option<String>,
    /// What the server at the first URL asks readers for. Mirrors do not get it.
    pub bearer: Option<Bearer>,
    /// Connections at a time.
    pub connections: usize,
    /// How patient we are with each server.
    pub patience: Patience,
}

impl Default for FetchOptions {
    fn default() -> FetchOptions {
        let (mirrors, wanted, patience) = (Vec::new(), Wanted::All, Patience::default());
        FetchOptions { mirrors, wanted, identity: None, bearer: None, connections: 8, patience }
    }
}

/// How far a fetch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Bytes that are here and checked.
    pub done: u64,
    /// Bytes that are wanted.
    pub total: u64,
    /// The server that is asked.
    pub server: &'a str,
}

/// A table that is here.
#[derive(Debug)]
pub struct Fetched {
    /// What is known of it.
    pub manifest: Manifest,
    /// What was done.
    pub how: How,
    /// Bytes that an earlier fetch had left here.
    pub resumed: u64,
    /// Requests that were made, by server.
    pub servers: Vec<ServerUse>,
    /// Servers that failed on the way.
    pub failed: Vec<Failed>,
}

/// What a fetch has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The table was here already.
    WasHere,
    /// The folder is a table now.
    Table,
    /// The files asked for are here; the folder is no table.
    Files,
}

/// What was asked of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUse {
    /// Its URL.
    pub url: String,
    /// Requests.
    pub requests: u64,
    /// Bytes that came.
    pub bytes: u64,
}

/// Fetches the table at a URL into a folder, which is made if need be. Works on the threads of
/// the rayon pool it is called in. `progress` is told how far it is, and answers whether to go on.
///
/// # Errors
/// [`FetchError`]. Whatever it is, the same call goes on where this one stopped.
pub fn fetch(
    url: &str,
    dir: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Fetched, FetchError> {
    let first = Remote::open_as(options.bearer.clone(), url, options.patience);
    let mirrors = options.mirrors.iter().map(|url| Remote::open(url, options.patience));
    let remotes = std::iter::once(first).chain(mirrors);
    let mut servers = Servers::new(remotes.collect::<Result<Vec<_>, _>>()?);
    let threads = Arc::new(Threads::new(THREADS, url)?);
    let source = servers.manifest(&threads, options.identity.as_deref())?;
    let wanted = wanted_names(&source.manifest, &options.wanted)?;
    if is_here(dir, &source.manifest)? {
        let manifest = source.manifest;
        return Ok(Fetched {
            manifest,
            how: How::WasHere,
            resumed: 0,
            servers: servers.uses(),
            failed: servers.into_failed(),
        });
    }
    durable::create_folder(dir)?;
    let _lock = lock(dir)?;
    durable::remove_leftovers(dir)?;
    let total = source.manifest.files().filter(|file| wanted.contains(&file.name));
    let total = total.map(|file| file.bytes).sum();
    let (connections, identity) = (options.connections.max(1), Identity::default());
    let mut table =
        TableFetch { dir, threads, servers, connections, identity, resumed: 0, done: 0, total };
    table.files(&source.manifest, &source.layout, &wanted, progress)?;
    let how = match options.wanted {
        Wanted::Files(_) => How::Files,
        Wanted::All => {
            table.check_identity(&source)?;
            durable::write_durably(
                &dir.join(SHA256SUMS),
                source.manifest.sha256_sums().as_bytes(),
            )?;
            durable::write_durably(&dir.join(MANIFEST), &source.bytes)?;
            How::Table
        }
    };
    let TableFetch { servers, resumed, .. } = table;
    let (manifest, uses) = (source.manifest, servers.uses());
    Ok(Fetched { manifest, how, resumed, servers: uses, failed: servers.into_failed() })
}

/// A manifest and where it comes from.
struct Source {
    bytes: Vec<u8>,
    manifest: Manifest,
    layout: TableLayout,
    url: String,
}

/// A table that is being fetched.
struct TableFetch<'a> {
    dir: &'a Path,
    threads: Arc<Threads>,
    servers: Servers,
    connections: usize,
    identity: Identity,
    resumed: u64,
    done: u64,
    total: u64,
}

impl TableFetch<'_> {
    fn files(
        &mut self,
        manifest: &Manifest,
        layout: &TableLayout,
        wanted: &[String],
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<(), FetchError> {
        for (found, column) in manifest.columns.iter().zip(&layout.columns) {
            let frames = Frames::new(layout, column.entry);
            for (file, span) in found.files.iter().zip(frames.files()) {
                if wanted.contains(&file.name) {
                    FileFetch::new(self, file, &frames, span)?.run(progress)?;
                }
            }
        }
        Ok(())
    }

    /// The values must be those that the manifest names; if not, the manifest is wrong, and so
    /// is everything that was checked by it.
    fn check_identity(&mut self, source: &Source) -> Result<(), FetchError> {
        let identity = std::mem::take(&mut self.identity).finish().to_string();
        if identity == source.manifest.identity {
            return Ok(());
        }
        for file in source.manifest.files() {
            let path = file.path(self.dir);
            fs::remove_file(&path).map_err(TableError::io(&path, "remove it"))?;
        }
        let what = format!(
            "the values have the identity {identity}, but the manifest says {}",
            source.manifest.identity
        );
        let url = format!("{}/{MANIFEST}", source.url);
        Err(RemoteError::Lies { url, what }.into())
    }
}

/// The names of the files that are wanted.
fn wanted_names(manifest: &Manifest, wanted: &Wanted) -> Result<Vec<String>, FetchError> {
    let all: Vec<String> = manifest.files().map(|file| file.name.clone()).collect();
    let Wanted::Files(names) = wanted else { return Ok(all) };
    match names.iter().find(|name| !all.contains(name)) {
        Some(name) => Err(FetchError::NoFile { name: name.clone(), known: all.join(", ") }),
        None => Ok(names.clone()),
    }
}

/// Whether the folder holds this table already; another one is not written over.
fn is_here(dir: &Path, manifest: &Manifest) -> Result<bool, FetchError> {
    match Manifest::read(dir) {
        Err(TableError::NotATable { .. }) => Ok(false),
        Err(error) => Err(error.into()),
        Ok((found, _)) if found.is_same_table(manifest) => Ok(true),
        Ok(_) => Err(TableError::Exists { dir: dir.to_owned() }.into()),
    }
}

/// Keeps other processes from fetching into the same folder; ends when it is dropped.
fn lock(dir: &Path) -> Result<File, FetchError> {
    let folder = File::open(dir).map_err(TableError::io(dir, "open the folder"))?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => Err(FetchError::InUse { dir: dir.to_owned() }),
        Err(TryLockError::Error(error)) => {
            Err(TableError::io(dir, "lock the folder")(error).into())
        }
    }
}
