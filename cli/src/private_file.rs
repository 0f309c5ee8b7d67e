//! New files for keys, tokens and certificates: there whole or not at all, never overwritten,
//! and readable by whom they are for from the first moment on.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;

use crate::failure::UserError;

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Its owner: mode 0600.
    Owner,
    /// Everybody: mode 0644.
    Everybody,
}

/// Writes a new file durably.
pub fn create(path: &Path, content: &str, readers: Readers) -> anyhow::Result<()> {
    write(path, content, readers).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let path = path.display();
            UserError(format!("{path} is there already; nothing was overwritten")).into()
        }
        _ => anyhow::Error::new(error).context(format!("cannot write {}", path.display())),
    })
}

fn write(path: &Path, content: &str, readers: Readers) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mode = match readers {
        Readers::Owner => 0o600,
        Readers::Everybody => 0o644,
    };
    // Starts with mode 0600, whatever the process's default is.
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".retrotab-tmp")
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Makes a folder that only its owner can look into, unless it is there.
pub fn create_folder(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("cannot make the folder {}", path.display()))
}
