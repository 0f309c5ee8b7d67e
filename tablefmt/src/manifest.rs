//! The manifest: what makes a folder a table.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::durable::write_durably;
use crate::error::TableError;
use crate::layout::{EntryType, FileSpan, Frames, TableLayout};
use crate::spec::TableSpec;

/// Name of the manifest in a table's folder.
pub const MANIFEST: &str = "manifest.json";
/// Name of the list of digests in a table's folder.
pub const SHA256SUMS: &str = "SHA256SUMS";

const FORMAT: &str = "retrotab-table";
const MAJOR: u32 = 1;
const MINOR: u32 = 0;
/// No manifest is larger; one that claims to be is corrupt.
const MAX_MANIFEST: u64 = 16 << 20;
/// The licence of finished tables: facts, free for any use.
const LICENCE: &str = "CC0-1.0";

/// Everything that is known of a finished table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    version: String,
    /// Family and parameters.
    pub table: TableSpec,
    /// The text that names rules and ranking.
    pub rule: String,
    /// BLAKE3 of [`rule`](Self::rule).
    pub rule_blake3: String,
    /// Number of distinct positions.
    pub positions: u64,
    /// Number of entries, which may repeat a few positions.
    pub entries: u64,
    /// BLAKE3 of the raw values of the columns, one after the other: the table's identity.
    pub identity: String,
    /// Columns with their data files.
    pub columns: Vec<ColumnManifest>,
    /// Sections in order.
    pub sections: Vec<SectionManifest>,
    /// How values are compressed.
    pub compression: Compression,
    /// Program that wrote the table.
    pub software: String,
    /// Licence of the table, as an SPDX identifier.
    pub licence: String,
    /// How it was made; not part of the identity.
    pub made: Made,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnManifest {
    /// Its name.
    pub name: String,
    /// Type of its values.
    pub entry: EntryType,
    /// Its data files, in order of entries.
    pub files: Vec<FileManifest>,
}

/// A data file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileManifest {
    /// Name in the table's folder.
    pub name: String,
    /// Index of its first entry.
    pub first_entry: u64,
    /// Number of entries.
    pub entries: u64,
    /// Bytes of the raw values.
    pub raw_bytes: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// BLAKE3 of the file.
    pub blake3: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionManifest {
    /// Its name.
    pub name: String,
    /// Index of its first entry.
    pub first_entry: u64,
    /// Number of entries.
    pub entries: u64,
}

/// How values are compressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compression {
    /// Raw bytes of a frame; the last one of a section may have fewer.
    pub frame_bytes: u64,
    /// Level.
    pub zstd_level: i32,
    /// Version of the library that compressed.
    pub zstd_version: String,
}

/// How a table was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Number of work units.
    pub units: u64,
    /// Number of workers that took part.
    pub workers: u64,
    /// Seconds from the first start to the end, pauses included.
    pub wall_seconds: u64,
}

/// The name of a data file.
pub(crate) fn file_name(layout: &TableLayout, column: usize, number: usize) -> String {
    let found = &layout.columns[column];
    let entry = found.entry.name();
    if layout.columns.len() == 1 {
        format!("{number:03}.{entry}.zst")
    } else {
        format!("{}.{number:03}.{entry}.zst", found.name)
    }
}

/// What a manifest must say of the sections of a table.
fn sections(layout: &TableLayout) -> Vec<SectionManifest> {
    let mut first_entry = 0;
    let mut sections = Vec::new();
    for section in &layout.sections {
        let (name, entries) = (section.name.clone(), section.entries);
        sections.push(SectionManifest { name, first_entry, entries });
        first_entry += entries;
    }
    sections
}

impl Manifest {
    /// The manifest of a finished table.
    pub(crate) fn new(
        table: TableSpec,
        layout: &TableLayout,
        columns: Vec<ColumnManifest>,
        identity: blake3::Hash,
        made: Made,
    ) -> Self {
        Manifest {
            format: FORMAT.to_owned(),
            version: format!("{MAJOR}.{MINOR}"),
            rule: table.rule_text(),
            rule_blake3: table.rule_digest().to_string(),
            positions: table.positions(),
            entries: layout.entries(),
            table,
            identity: identity.to_string(),
            columns,
            sections: sections(layout),
            compression: Compression {
                frame_bytes: crate::layout::FRAME_RAW,
                zstd_level: crate::frame::ZSTD_LEVEL,
                zstd_version: crate::frame::zstd_version().to_owned(),
            },
            software: format!("retrotab {}", env!("CARGO_PKG_VERSION")),
            licence: LICENCE.to_owned(),
            made,
        }
    }

    /// Reads the manifest of a table's folder and checks everything in it that can be checked
    /// without the data files: all names, lengths and counts follow from the table's
    /// parameters, so a file can claim nothing.
    pub fn read(dir: &Path) -> Result<(Self, TableLayout), TableError> {
        let path = dir.join(MANIFEST);
        match fs::metadata(&path) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(TableError::NotATable { dir: dir.to_owned() });
            }
            Err(error) => return Err(TableError::io(&path, "open it")(error)),
            Ok(found) if found.len() > MAX_MANIFEST => {
                let what = format!("{} bytes are too many for a manifest", found.len());
                return Err(TableError::corrupt(&path, "length", what));
            }
            Ok(_) => {}
        }
        let bytes = fs::read(&path).map_err(TableError::io(&path, "read it"))?;
        Self::parse(&bytes, &path)
    }

    /// Parses and checks a manifest; `path` only names it in errors.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<(Self, TableLayout), TableError> {
        #[derive(Deserialize)]
        struct Version {
            format: String,
            version: String,
        }
        let json = |e: serde_json::Error| {
            TableError::corrupt(
                path,
                format!("line {}, column {}", e.line(), e.column()),
                e.to_string(),
            )
        };
        // A newer major version may have other keys, so the version comes first.
        let version: Version = serde_json::from_slice(bytes).map_err(json)?;
        if version.format != FORMAT {
            return Err(TableError::corrupt(path, "format", format!("`{}`", version.format)));
        }
        let major = version.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_none_or(|major| major != MAJOR) {
            let supported = format!("{MAJOR}.{MINOR}");
            let (path, found) = (path.to_owned(), version.version);
            return Err(TableError::UnsupportedVersion { path, found, supported });
        }
        let manifest: Manifest = serde_json::from_slice(bytes).map_err(json)?;
        let layout = manifest.table.layout();
        manifest.check(&layout, path)?;
        Ok((manifest, layout))
    }

    fn check(&self, layout: &TableLayout, path: &Path) -> Result<(), TableError> {
        let same = |at: &str, equal: bool| match equal {
            true => Ok(()),
            false => Err(TableError::corrupt(
                path,
                at,
                format!("it does not fit the {}; was it written under other rules?", self.table),
            )),
        };
        same("rule", self.rule == self.table.rule_text())?;
        same("rule_blake3", self.rule_blake3 == self.table.rule_digest().to_string())?;
        same("positions", self.positions == self.table.positions())?;
        same("entries", self.entries == layout.entries())?;
        same("sections", self.sections == sections(layout))?;
        same("compression", self.compression.frame_bytes == crate::layout::FRAME_RAW)?;
        same("identity", is_digest(&self.identity))?;
        same("columns", self.columns.len() == layout.columns.len())?;
        for (i, (found, column)) in self.columns.iter().zip(&layout.columns).enumerate() {
            same("columns", found.name == column.name && found.entry == column.entry)?;
            let spans = Frames::new(layout, column.entry).files();
            same("files", found.files.len() == spans.len())?;
            for (number, (file, span)) in found.files.iter().zip(&spans).enumerate() {
                let at = format!("file {number} of column {}", column.name);
                same(&at, file.name == file_name(layout, i, number))?;
                same(&at, file.fits(span, column.entry))?;
            }
        }
        Ok(())
    }

    /// Writes SHA256SUMS and then the manifest; after that the folder is a table.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), TableError> {
        write_durably(&dir.join(SHA256SUMS), self.sha256_sums().as_bytes())?;
        let bug = |e: serde_json::Error| TableError::Bug(e.to_string());
        let mut json = serde_json::to_vec_pretty(self).map_err(bug)?;
        json.push(b'\n');
        write_durably(&dir.join(MANIFEST), &json)
    }

    /// The digests of the data files, as `sha256sum -c` reads them.
    pub(crate) fn sha256_sums(&self) -> String {
        let files = self.columns.iter().flat_map(|column| &column.files);
        files.map(|f| format!("{}  {}\n", f.sha256, f.name)).collect()
    }

    /// Bytes of all data files.
    pub fn bytes(&self) -> u64 {
        self.columns.iter().flat_map(|column| &column.files).map(|file| file.bytes).sum()
    }
}

impl FileManifest {
    fn fits(&self, span: &FileSpan, entry: EntryType) -> bool {
        self.first_entry == span.first_entry
            && self.entries == span.entries
            && self.raw_bytes == span.entries * entry.bytes()
            && is_digest(&self.blake3)
            && is_digest(&self.sha256)
    }

    /// Where the file is.
    pub(crate) fn path(&self, dir: &Path) -> PathBuf {
        dir.join(&self.name)
    }
}

/// 32 bytes in lower-case hexadecimal.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
