//! Where bytes are read from: the seam between the formats and the outside.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::error::TableError;

/// Random access to bytes.
pub trait ReadAt: Send + Sync {
    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if there are too few;
    /// [`InvalidData`](io::ErrorKind::InvalidData) from a source that sees by itself that they are
    /// not what they must be; or what the system says.
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()>;

    /// Number of bytes.
    fn len(&self) -> io::Result<u64>;

    /// What was read of this part is damaged; whoever keeps copies should not keep this one.
    fn forget(&self, part: Range<u64>) {
        let _ = part;
    }

    /// Whether there are no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

impl ReadAt for File {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        FileExt::read_exact_at(self, buf, offset)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

fn read_slice_at(bytes: &[u8], offset: u64, buf: &mut [u8]) -> io::Result<()> {
    let from = usize::try_from(offset).ok().and_then(|start| bytes.get(start..));
    match from.and_then(|from| from.get(..buf.len())) {
        Some(from) => {
            buf.copy_from_slice(from);
            Ok(())
        }
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl ReadAt for Vec<u8> {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        read_slice_at(self, offset, buf)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.as_slice().len() as u64)
    }
}

#[cfg(feature = "objects")]
impl ReadAt for bytes::Bytes {
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        read_slice_at(self, offset, buf)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(bytes::Bytes::len(self) as u64)
    }
}

/// How files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// By read calls at an offset.
    #[default]
    Read,
    /// Mapped into memory: fewer calls for many small reads. If somebody cuts the file short
    /// meanwhile, the program is killed by the system.
    Map,
}

/// Opens a file of a table.
///
/// # Errors
/// [`TableError::MissingFile`]; [`TableError::Corrupt`] if it is no regular file;
/// [`TableError::Io`].
pub fn open(path: &Path, access: Access) -> Result<Box<dyn ReadAt>, TableError> {
    let file = open_file(path)?;
    Ok(match access {
        Access::Read => Box::new(file),
        Access::Map => {
            Box::new(map::Mapped::new(&file).map_err(TableError::io(path, "map it into memory"))?)
        }
    })
}

/// Reads a whole regular file that must not have more than `most` bytes.
///
/// # Errors
/// As [`open`]; [`TableError::Corrupt`] if it has more than `most` bytes.
pub fn read_whole(path: &Path, most: u64) -> Result<Vec<u8>, TableError> {
    let mut bytes = Vec::new();
    // Counts what is read, because not every file knows its length.
    let read = open_file(path)?.take(most + 1).read_to_end(&mut bytes);
    read.map_err(TableError::io(path, "read it"))?;
    if bytes.len() as u64 > most {
        let what = format!("it has more than the {most} bytes that it may have");
        return Err(TableError::corrupt(path, "length", what));
    }
    Ok(bytes)
}

/// Opens a regular file; opening anything else could wait for ever.
fn open_file(path: &Path) -> Result<File, TableError> {
    let missing = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            TableError::MissingFile { path: path.to_owned() }
        }
        _ => TableError::io(path, "open it")(source),
    };
    if !fs::metadata(path).map_err(missing)?.is_file() {
        return Err(TableError::corrupt(path, "kind", "it is not a file"));
    }
    File::open(path).map_err(missing)
}

mod map {
    use super::{File, ReadAt, io, read_slice_at};

    /// A file mapped into memory.
    pub(super) struct Mapped(memmap2::Mmap);

    impl Mapped {
        pub(super) fn new(file: &File) -> io::Result<Self> {
            // SAFETY: the bytes are only ever copied out, through bounds checks, and every
            // copy is checked afterwards like bytes read from a file, so a change of the file
            // meanwhile is like a damaged file. (A file cut short raises SIGBUS, as documented
            // at `Access::Map`.)
            Ok(Mapped(unsafe { memmap2::Mmap::map(file)? }))
        }
    }

    impl ReadAt for Mapped {
        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            read_slice_at(&self.0, offset, buf)
        }

        fn len(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }
}
