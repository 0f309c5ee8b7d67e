//! The manifest: what makes a folder a table.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::durable::write_durably;
use crate::error::TableError;
use crate::frame::MAX_COMPRESSED;
use crate::layout::{EntryType, FILE_RAW, FRAME_RAW, FileSpan, Frames, TableLayout};
use crate::seek;
use crate::source;
use crate::spec::TableSpec;

/// Name of the manifest in a table's folder.
pub const MANIFEST: &str = "manifest.json";
/// Name of the list of digests in a table's folder.
pub const SHA256SUMS: &str = "SHA256SUMS";

const FORMAT: &str = "retrotab-table";
const MAJOR: u32 = 1;
const MINOR: u32 = 0;
/// Most bytes of a manifest; a larger one is corrupt.
pub const MAX_MANIFEST: u64 = 16 << 20;
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
    /// Raw bytes of a data file at the most.
    pub file_bytes: u64,
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
                frame_bytes: FRAME_RAW,
                file_bytes: FILE_RAW,
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
    ///
    /// # Errors
    /// [`TableError::NotATable`] without a manifest; [`TableError::Corrupt`] if it is longer than
    /// 16 MiB; [`TableError::Io`]; and as [`parse`](Self::parse).
    pub fn read(dir: &Path) -> Result<(Self, TableLayout), TableError> {
        let path = dir.join(MANIFEST);
        match source::read_whole(&path, MAX_MANIFEST) {
            Err(TableError::MissingFile { .. }) => {
                Err(TableError::NotATable { dir: dir.to_owned() })
            }
            read => Self::parse(&read?, &path),
        }
    }

    /// Parses and checks a manifest; `path` only names it in errors.
    ///
    /// # Errors
    /// [`TableError::UnsupportedVersion`] for another major version; [`TableError::Corrupt`] if it
    /// is no manifest, or says anything else than follows from the parameters.
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

    /// Everything that follows from the table's parameters must be as they say. (Here a manifest
    /// meets [`TableSpec::layout`]: whoever changes how tables are laid out is told so here.)
    fn check(&self, layout: &TableLayout, path: &Path) -> Result<(), TableError> {
        let require = |at: &str, equal: bool| match equal {
            true => Ok(()),
            false => Err(TableError::corrupt(
                path,
                at,
                format!("it does not fit the {}; was it written under other rules?", self.table),
            )),
        };
        require("rule", self.rule == self.table.rule_text())?;
        require("rule_blake3", self.rule_blake3 == self.table.rule_digest().to_string())?;
        require("positions", self.positions == self.table.positions())?;
        require("entries", self.entries == layout.entries())?;
        require("sections", self.sections == sections(layout))?;
        require("frame_bytes", self.compression.frame_bytes == FRAME_RAW)?;
        require("file_bytes", self.compression.file_bytes == FILE_RAW)?;
        require("identity", is_digest(&self.identity))?;
        require("columns", self.columns.len() == layout.columns.len())?;
        for (i, (found, column)) in self.columns.iter().zip(&layout.columns).enumerate() {
            require("columns", found.name == column.name && found.entry == column.entry)?;
            let spans = Frames::new(layout, column.entry).files();
            require("files", found.files.len() == spans.len())?;
            for (number, (file, span)) in found.files.iter().zip(&spans).enumerate() {
                let wrong = |what| {
                    let at = format!("column {}, file {number}", column.name);
                    TableError::corrupt(path, at, what)
                };
                let name = file_name(layout, i, number);
                file.check(&name, span, column.entry).map_err(wrong)?;
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
    pub fn sha256_sums(&self) -> String {
        self.files().map(|f| format!("{}  {}\n", f.sha256, f.name)).collect()
    }

    /// All data files, column after column, in order of entries.
    pub fn files(&self) -> impl Iterator<Item = &FileManifest> {
        self.columns.iter().flat_map(|column| &column.files)
    }

    /// Whether two manifests are of the same table in the same files; how it was made may differ.
    pub fn is_same_table(&self, other: &Manifest) -> bool {
        self.identity == other.identity
            && self.table == other.table
            && self.columns == other.columns
    }

    /// Bytes of all data files.
    pub fn bytes(&self) -> u64 {
        self.files().map(|file| file.bytes).sum()
    }
}

impl FileManifest {
    /// Says what is wrong with what is said of the file of this name and span.
    fn check(&self, name: &str, span: &FileSpan, entry: EntryType) -> Result<(), String> {
        let must_be = |what: &str, expected: u64, found: u64| match found == expected {
            true => Ok(()),
            false => Err(format!("{what} is {found} instead of {expected}")),
        };
        if self.name != name {
            return Err(format!("its name is {:?} instead of {name:?}", self.name));
        }
        must_be("first_entry", span.first_entry, self.first_entry)?;
        must_be("entries", span.entries, self.entries)?;
        must_be("raw_bytes", span.entries * entry.bytes(), self.raw_bytes)?;
        // So the sum over all files, and what is read of one, stay within bounds.
        let most = span.frames * u64::from(MAX_COMPRESSED) + seek::encoded_len(span.frames);
        if self.bytes > most {
            return Err(format!("bytes is {}, more than {most}", self.bytes));
        }
        if !is_digest(&self.blake3) || !is_digest(&self.sha256) {
            return Err("a digest is not 64 hexadecimal digits".to_owned());
        }
        Ok(())
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
