//! Files that hold a secret: a token or a private key.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What can be wrong with a file that holds a secret, before what is in it counts.
#[derive(Debug, thiserror::Error)]
pub enum SecretFileError {
    /// It cannot be read, or is not there.
    #[error("{}: cannot read it: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is a folder, a pipe or a device.
    #[error("{}: it is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// It is far too long.
    #[error("{}: it has more than {most} bytes; is it the right file?", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Bytes it may have.
        most: u64,
    },
    /// Everybody on the machine can read or change it.
    #[error(
        "{}: everybody on this machine may read or change it (mode {mode:04o}), so it is no \
         secret; run `chmod o-rwx` on it (in Kubernetes: `defaultMode: 0440` of the volume)",
        path.display()
    )]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// Reads a file of at most `most` bytes that only its owner and group have access to.
///
/// # Errors
/// [`SecretFileError`].
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, SecretFileError> {
    let unreadable = |source| SecretFileError::Unreadable { path: path.to_owned(), source };
    // Opening a pipe could wait for ever, so the kind comes first.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(SecretFileError::NotAFile { path: path.to_owned() });
    }
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o7777;
    if mode & 0o007 != 0 {
        return Err(SecretFileError::OpenToOthers { path: path.to_owned(), mode });
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(SecretFileError::TooLong { path: path.to_owned(), most });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    fn file(mode: u32) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret");
        fs::write(&path, "12345").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn only_files_closed_to_others_are_read() {
        for mode in [0o600, 0o400, 0o640, 0o440] {
            let (_dir, path) = file(mode);
            assert_eq!(read(&path, 5).unwrap(), b"12345");
        }
        for mode in [0o644, 0o604, 0o602, 0o666] {
            let (_dir, path) = file(mode);
            let error = read(&path, 5).unwrap_err().to_string();
            assert!(error.contains(&format!("{mode:04o}")) && error.contains("chmod"), "{error}");
        }
    }

    #[test]
    fn links_are_followed() {
        let (dir, path) = file(0o600);
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(read(&link, 5).unwrap(), b"12345");
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(read(&link, 5), Err(SecretFileError::OpenToOthers { .. })));
    }

    #[test]
    fn other_things_are_refused() {
        let (dir, path) = file(0o600);
        assert!(matches!(read(&path, 4), Err(SecretFileError::TooLong { most: 4, .. })));
        assert!(matches!(read(dir.path(), 9), Err(SecretFileError::NotAFile { .. })));
        let missing = read(&dir.path().join("none"), 9).unwrap_err().to_string();
        assert!(missing.contains("none: cannot read it"), "{missing}");
    }
}
