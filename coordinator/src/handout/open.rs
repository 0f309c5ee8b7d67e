//! Opening tables to hand them out.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use axum::http::HeaderValue;
use bytes::Bytes;
use retrotab_tablefmt::lookup::Lookup;
use retrotab_tablefmt::manifest::{FileManifest, MANIFEST, MAX_MANIFEST, SHA256SUMS};
use retrotab_tablefmt::{ReadOptions, Table, TableError, source};
use tokio::sync::Semaphore;

use super::files::{Contents, ServedFile};
use super::{Handout, ServedTable};

/// Largest of the texts beside a table, such as a torrent.
const MAX_TEXT: u64 = MAX_MANIFEST;
/// Most frames that are decoded at a time, for each core.
const PROBES_PER_CORE: usize = 4;

/// Why tables cannot be handed out.
#[derive(Debug, thiserror::Error)]
pub enum HandoutError {
    /// A table, or a file of it.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A folder without tables.
    #[error("{}: neither a table nor a folder of tables", .0.display())]
    NoTables(PathBuf),
    /// Two tables would have one name.
    #[error(
        "{} and another folder are both named `{name}`, and tables are told apart by that; rename one",
        .folder.display()
    )]
    SameName {
        /// The second folder.
        folder: PathBuf,
        /// The name of both.
        name: String,
    },
    /// A table that cannot be named in a URL.
    #[error(
        "{}: the name of a table's folder is its name in URLs; it must be of letters, digits, `-`, \
         `_` and `.`, and begin with none of these signs", .0.display()
    )]
    Name(PathBuf),
}

impl HandoutError {
    /// Whether the mistake is the user's.
    pub fn is_users(&self) -> bool {
        match self {
            HandoutError::Table(error) => error.is_users(),
            _ => true,
        }
    }
}

impl Handout {
    /// Opens tables: each folder is one, or has some in it. At most so many bytes of decoded
    /// frames are kept, shared evenly by the tables.
    ///
    /// # Errors
    /// [`HandoutError`].
    pub fn open(folders: &[PathBuf], cache_bytes: u64) -> Result<Handout, HandoutError> {
        let mut found = Vec::new();
        for folder in folders {
            let before = found.len();
            if folder.join(MANIFEST).is_file() {
                found.push(folder.clone());
            } else {
                let inside = list(folder).map_err(TableError::io(folder, "list it"))?;
                found.extend(inside.into_iter().filter(|path| path.join(MANIFEST).is_file()));
            }
            if found.len() == before {
                return Err(HandoutError::NoTables(folder.clone()));
            }
        }
        let share = cache_bytes / found.len().max(1) as u64;
        let mut tables = BTreeMap::new();
        for folder in found {
            let served = ServedTable::open(&folder, share)?;
            if let Some(same) = tables.insert(served.name.clone(), Arc::new(served)) {
                return Err(HandoutError::SameName { folder, name: same.name.clone() });
            }
        }
        Ok(Handout::of(tables))
    }

    /// Without tables yet.
    pub fn empty() -> Handout {
        Handout::of(BTreeMap::new())
    }

    fn of(tables: BTreeMap<String, Arc<ServedTable>>) -> Handout {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Handout {
            tables: RwLock::new(tables),
            probes: Semaphore::new(cores * PROBES_PER_CORE),
            looking: Arc::new(Semaphore::new(1)),
            draw: None,
        }
    }

    /// Hands out the table in a folder, too, in place of another one of the same name; downloads
    /// of that one go on. At most so many bytes of decoded frames are kept.
    ///
    /// # Errors
    /// [`HandoutError`].
    pub fn add(&self, folder: &Path, cache_bytes: u64) -> Result<(), HandoutError> {
        let served = ServedTable::open(folder, cache_bytes)?;
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        tables.insert(served.name.clone(), Arc::new(served));
        Ok(())
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    found.sort();
    Ok(found)
}

/// The name of a table's folder, if it can be one in URLs.
fn name(folder: &Path) -> Option<String> {
    // `.` has no name of its own, but it has one where it really is.
    let real = fs::canonicalize(folder).ok()?;
    let name = real.file_name()?.to_str()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (begins && name.chars().all(fits)).then(|| name.to_owned())
}

impl ServedTable {
    fn open(folder: &Path, cache_bytes: u64) -> Result<ServedTable, HandoutError> {
        let name = name(folder).ok_or_else(|| HandoutError::Name(folder.to_owned()))?;
        let options = ReadOptions { cache_bytes, ..ReadOptions::default() };
        let table = Table::open(folder, options)?;
        let mut files = BTreeMap::new();
        for file in table.manifest().files() {
            files.insert(file.name.clone(), data_file(folder, file)?);
        }
        let others = list(folder).map_err(TableError::io(folder, "list it"))?;
        for path in others {
            let Some(other) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if let Some(kind) = kind_of_text(other).filter(|_| path.is_file()) {
                files.insert(other.to_owned(), text(&path, kind)?);
            }
        }
        let lookup = Lookup::new(&table.manifest().table);
        Ok(ServedTable { name, table, lookup, files, look: OnceLock::new() })
    }
}

/// The type of a file that may stand beside the data files; others are not handed out.
fn kind_of_text(name: &str) -> Option<&'static str> {
    match name {
        MANIFEST => Some("application/json"),
        SHA256SUMS | "urls.txt" => Some("text/plain; charset=utf-8"),
        _ if name.ends_with(".torrent") => Some("application/x-bittorrent"),
        _ => None,
    }
}

fn text(path: &Path, kind: &'static str) -> Result<ServedFile, HandoutError> {
    let bytes = Bytes::from(source::read_whole(path, MAX_TEXT)?);
    let tag = tag(blake3::hash(&bytes).to_hex().as_str());
    Ok(ServedFile { bytes: bytes.len() as u64, tag, kind, contents: Contents::Memory(bytes) })
}

fn data_file(folder: &Path, file: &FileManifest) -> Result<ServedFile, HandoutError> {
    let path = folder.join(&file.name);
    let failed = |error| TableError::io(&path, "open it")(error);
    let opened = File::open(&path).map_err(failed)?;
    let modified = opened.metadata().and_then(|found| found.modified()).map_err(failed)?;
    Ok(ServedFile {
        bytes: file.bytes,
        tag: tag(&file.blake3),
        kind: "application/zstd",
        contents: Contents::Disk(Arc::new(opened), modified),
    })
}

fn tag(digest: &str) -> HeaderValue {
    HeaderValue::try_from(format!("\"{digest}\"")).expect("a digest is of hexadecimal digits")
}
