//! How full the disk of the data folder is.

use std::io;
use std::path::Path;

/// The file system that a folder lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Bytes it has.
    pub size: u64,
    /// Bytes that this process may still write.
    pub free: u64,
}

impl Disk {
    /// Asks the system; may wait for the file system.
    ///
    /// # Errors
    /// What the system says, for example that the folder is gone.
    pub fn of(folder: &Path) -> io::Result<Disk> {
        let found = rustix::fs::statvfs(folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(Disk { size: bytes(found.f_blocks), free: bytes(found.f_bavail) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lies_on_a_disk_of_some_size() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::of(folder.path()).unwrap();
        assert!(disk.size > 0 && disk.free <= disk.size, "{disk:?}");
        assert!(Disk::of(&folder.path().join("missing")).is_err());
    }
}
