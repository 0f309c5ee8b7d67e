//! A small disk, to be full soon.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file system of a given size in a folder, until it is dropped.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Says so and gives none where mounting is not allowed.
    pub fn mount(folder: &Path, size: &str) -> Option<SmallDisk> {
        if mount(folder, &format!("size={size}")) {
            return Some(SmallDisk(folder.to_owned()));
        }
        eprintln!("skipped: mounting a small disk is not allowed here");
        None
    }

    pub fn grow(&self, size: &str) {
        assert!(mount(&self.0, &format!("remount,size={size}")));
    }
}

fn mount(folder: &Path, options: &str) -> bool {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder);
    mount.output().is_ok_and(|output| output.status.success())
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Goes when the last file is closed.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}
