//! What fixes the bytes of a job's shards, as text, and its digest.

use std::fmt;

use crate::frame::{ZSTD_LEVEL, zstd_version};
use crate::layout::{FRAME_RAW, TableLayout};
use crate::shard::JobDigest;
use crate::spec::TableSpec;

/// Raised whenever equal lines would not mean equal shards any more.
const JOB_FORMAT: u32 = 1;

/// One `key value` line for everything that fixes the bytes of a job's shards. Two jobs with
/// equal text make equal shards; where texts differ, the lines say in what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobIdentity {
    text: String,
}

/// A line in which two jobs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it is about.
    pub key: String,
    /// The value in the job asked for; `None` if it has no such line.
    pub asked: Option<String>,
    /// The value in the job found; `None` if it has no such line.
    pub found: Option<String>,
}

impl JobIdentity {
    /// The identity of the job that makes a table, laid out like this, in units of so many
    /// entries; that of this program, whose compressor and rules it names.
    pub fn new(spec: &TableSpec, layout: &TableLayout, unit_entries: u64) -> JobIdentity {
        let columns = layout.columns.iter().map(|c| format!("{}:{}", c.name, c.entry.name()));
        let sections = layout.sections.iter().map(|s| format!("{} {}\n", s.name, s.entries));
        let sections = blake3::hash(sections.collect::<String>().as_bytes());
        JobIdentity::from_lines(&[
            ("job-format", JOB_FORMAT.to_string()),
            ("table", spec.to_string()),
            ("rules", spec.rule_text()),
            ("columns", columns.collect::<Vec<_>>().join(" ")),
            ("sections", format!("{} {}", layout.sections.len(), sections.to_hex())),
            ("frame-bytes", FRAME_RAW.to_string()),
            ("zstd", format!("{} level {ZSTD_LEVEL}", zstd_version())),
            ("unit-entries", unit_entries.to_string()),
        ])
    }

    /// Puts lines together. Keys have no spaces; keys and values have no line breaks.
    fn from_lines(lines: &[(&str, String)]) -> JobIdentity {
        let text = lines.iter().map(|(key, value)| format!("{key} {value}\n")).collect();
        JobIdentity { text }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// BLAKE3 of the text.
    pub fn digest(&self) -> blake3::Hash {
        blake3::hash(self.text.as_bytes())
    }

    /// The digest that every shard of the job carries.
    pub fn job_digest(&self) -> JobDigest {
        JobDigest(*self.digest().as_bytes())
    }

    /// The lines in which this job, the one asked for, differs from the text of another.
    pub fn differences(&self, found: &str) -> Vec<Difference> {
        let (asked, found) = (lines(&self.text), lines(found));
        let value = |lines: &[(&str, &str)], key: &str| {
            lines.iter().find(|line| line.0 == key).map(|line| line.1.to_owned())
        };
        let mut keys: Vec<&str> = asked.iter().chain(&found).map(|line| line.0).collect();
        let mut seen = std::collections::HashSet::new();
        keys.retain(|key| seen.insert(*key));
        keys.into_iter()
            .map(|key| Difference {
                key: key.to_owned(),
                asked: value(&asked, key),
                found: value(&found, key),
            })
            .filter(|difference| difference.asked != difference.found)
            .collect()
    }
}

fn lines(text: &str) -> Vec<(&str, &str)> {
    text.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
        write!(f, "{}: {} there, {} asked for", self.key, show(&self.found), show(&self.asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_every_line_that_is_not_the_same() {
        let identity = |lines: &[(&str, &str)]| {
            let lines: Vec<_> = lines.iter().map(|&(k, v)| (k, v.to_owned())).collect();
            JobIdentity::from_lines(&lines)
        };
        let asked = identity(&[("spec", "stack 3"), ("unit", "10"), ("level", "3")]);
        assert_eq!(asked.differences(asked.text()), []);
        let found = identity(&[("spec", "stack 4"), ("level", "3"), ("old", "x")]);
        let differences = asked.differences(found.text());
        let shown: Vec<_> = differences.iter().map(Difference::to_string).collect();
        let expected = [
            "spec: stack 4 there, stack 3 asked for",
            "unit: (none) there, 10 asked for",
            "old: x there, (none) asked for",
        ];
        assert_eq!(shown, expected);
        assert_ne!(asked.digest(), found.digest());
    }
}
