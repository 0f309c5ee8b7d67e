//! Jobs as a worker knows them: from the coordinator's description, checked against what this
//! program would compute.

use std::ops::Range;

use retrotab_proto::v1;
use retrotab_tablefmt::identity::JobIdentity;
use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::shard::{JobDigest, UnitId};
use retrotab_tablefmt::spec::TableSpec;

use crate::needs::UnitNeeds;

/// Why a job cannot be computed by this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// A part is not there.
    #[error("the coordinator left out {0}")]
    Missing(&'static str),
    /// A part has a value that it cannot have.
    #[error("{what} is {found}, which it cannot be")]
    BadValue {
        /// The part.
        what: &'static str,
        /// What was found.
        found: String,
    },
    /// A family, a parameter or a rule of a newer program.
    #[error("this worker's program does not know the table ({0}); use the coordinator's version")]
    Table(String),
    /// The digest is not that of the text.
    #[error("the job is called {job}, but its description has digest {text}")]
    OtherDigest {
        /// Its name.
        job: JobDigest,
        /// Digest of its text.
        text: JobDigest,
    },
    /// The same description makes other shards here.
    #[error(
        "this worker's program would make other shards than the coordinator's: {differences}; \
         use the same version"
    )]
    OtherShards {
        /// In what they differ.
        differences: String,
    },
}

/// A job, worked out.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) digest: JobDigest,
    pub(crate) spec: TableSpec,
    pub(crate) layout: TableLayout,
    pub(crate) needs: UnitNeeds,
    unit_entries: u64,
    /// By section, the number of its first unit; at the end, the number of units.
    first_units: Vec<u32>,
}

impl Job {
    /// Works out a job, and checks that this program makes the shards that the coordinator
    /// expects.
    ///
    /// # Errors
    /// [`DescriptionError`] if it does not.
    pub(crate) fn from_message(message: &v1::JobDescription) -> Result<Job, DescriptionError> {
        let job = job_digest(&message.job_digest)?;
        let text = JobDigest(*blake3::hash(message.identity_text.as_bytes()).as_bytes());
        if job != text {
            return Err(DescriptionError::OtherDigest { job, text });
        }
        let spec = serde_json::from_str(&message.table)
            .map_err(|error| DescriptionError::Table(error.to_string()))?;
        Job::new(spec, message.unit_entries, &message.identity_text)
    }

    fn new(spec: TableSpec, unit_entries: u64, text: &str) -> Result<Job, DescriptionError> {
        let layout = spec.layout();
        let identity = JobIdentity::new(&spec, &layout, unit_entries);
        if identity.text() != text {
            let differences = identity.differences(text);
            // `asked for` is what the coordinator has, from here.
            let lines = differences.iter().map(|line| {
                let show = |value: &Option<String>| value.clone().unwrap_or("(none)".to_owned());
                format!("{} is {} here, {} there", line.key, show(&line.asked), show(&line.found))
            });
            let differences = lines.collect::<Vec<_>>().join("; ");
            return Err(DescriptionError::OtherShards { differences });
        }
        if unit_entries == 0 || !unit_entries.is_multiple_of(layout.unit_alignment()) {
            let found = unit_entries.to_string();
            return Err(DescriptionError::BadValue { what: "the size of units", found });
        }
        let mut first_units = vec![0];
        let mut units = 0;
        for section in &layout.sections {
            units += section.entries.div_ceil(unit_entries);
            let too_many = |_| DescriptionError::BadValue {
                what: "the number of units",
                found: units.to_string(),
            };
            first_units.push(u32::try_from(units).map_err(too_many)?);
        }
        let needs = UnitNeeds::new(&spec);
        let digest = identity.job_digest();
        Ok(Job { digest, spec, layout, needs, unit_entries, first_units })
    }

    /// Start of the digest, for log lines.
    pub(crate) fn short(&self) -> String {
        self.digest.short()
    }

    /// A unit that the coordinator describes; it must be as this program cuts the table.
    pub(crate) fn unit(
        &self,
        message: &v1::UnitDescription,
    ) -> Result<(UnitId, UnitRange), DescriptionError> {
        let unit = UnitId(message.unit);
        let section = SectionId(message.section);
        let range = UnitRange { section, first: message.first, entries: message.entries };
        if self.range(unit) == Some(range) {
            return Ok((unit, range));
        }
        Err(DescriptionError::BadValue { what: "the unit", found: format!("{message:?}") })
    }

    /// The entries of a unit, or `None` if there is no such unit.
    pub(crate) fn range(&self, unit: UnitId) -> Option<UnitRange> {
        let section = self.first_units.partition_point(|&first| first <= unit.0).checked_sub(1)?;
        let whole = self.layout.sections.get(section)?.entries;
        let first = u64::from(unit.0 - self.first_units[section]) * self.unit_entries;
        let entries = self.unit_entries.min(whole - first);
        Some(UnitRange { section: SectionId(section as u32), first, entries })
    }

    /// The units that hold some entries of a section.
    pub(crate) fn units_of(
        &self,
        section: SectionId,
        entries: Range<u64>,
    ) -> impl Iterator<Item = UnitId> + use<> {
        let first = self.first_units[section.0 as usize];
        let from = first + (entries.start / self.unit_entries) as u32;
        let to = first + entries.end.div_ceil(self.unit_entries) as u32;
        (from..to).map(UnitId)
    }
}

/// A job's digest in a message.
pub(crate) fn job_digest(bytes: &[u8]) -> Result<JobDigest, DescriptionError> {
    let bad = |_| DescriptionError::BadValue {
        what: "the job's digest",
        found: format!("{} bytes long", bytes.len()),
    };
    bytes.try_into().map(JobDigest).map_err(bad)
}

#[cfg(test)]
mod tests {
    use retrotab_tablefmt::stack::{Rule, StackSpec};

    use super::*;

    const ALIGNMENT: u64 = 131_072;

    fn description(unit_entries: u64) -> v1::JobDescription {
        let (stacks, cards) = (3.try_into().unwrap(), 6.try_into().unwrap());
        let table = TableSpec::Stack(StackSpec { stacks, cards, rule: Rule::Sorted });
        let identity = JobIdentity::new(&table, &table.layout(), unit_entries);
        v1::JobDescription {
            job_digest: identity.job_digest().0.to_vec(),
            table: serde_json::to_string(&table).unwrap(),
            unit_entries,
            identity_text: identity.text().to_owned(),
        }
    }

    #[test]
    fn units_are_those_of_the_plan() {
        let job = Job::from_message(&description(ALIGNMENT)).unwrap();
        let mut unit = 0;
        for (section, spec) in (0..).map(SectionId).zip(&job.layout.sections) {
            for first in (0..spec.entries).step_by(ALIGNMENT as usize) {
                let entries = ALIGNMENT.min(spec.entries - first);
                let range = UnitRange { section, first, entries };
                assert_eq!(job.range(UnitId(unit)), Some(range));
                assert_eq!(job.units_of(section, first..first + 1).next(), Some(UnitId(unit)));
                unit += 1;
            }
            let all = job.units_of(section, 0..spec.entries).last();
            assert_eq!(all, Some(UnitId(unit - 1)));
        }
        assert_eq!(job.range(UnitId(unit)), None);
        let section = job.layout.sections.len() as u32 - 1;
        let message = v1::UnitDescription { unit: unit - 1, section, first: 0, entries: 7 };
        assert!(job.unit(&message).is_err());
    }

    #[test]
    fn descriptions_of_other_programs_are_refused_with_the_reason() {
        let good = description(ALIGNMENT);
        let refused = |change: &dyn Fn(&mut v1::JobDescription)| {
            let mut bad = good.clone();
            change(&mut bad);
            Job::from_message(&bad).unwrap_err().to_string()
        };
        assert!(refused(&|d| d.job_digest[3] ^= 1).contains("digest"));
        assert!(refused(&|d| d.job_digest.truncate(5)).contains("5 bytes long"));
        assert!(refused(&|d| d.table.clear()).contains("does not know the table"));
        let changed = |from: &str, to: &str| refused(&|d| d.table = d.table.replace(from, to));
        assert!(changed("stack\"", "chess\"").contains("chess"));
        assert!(changed("\"stacks\":3", "\"stacks\":9").contains("stacks must be 1 to 5"));
        assert!(changed("\"cards\":6", "\"cards\":99").contains("cards"));
        assert!(refused(&|d| d.unit_entries = 0).contains("unit-entries is 0 here"));
        let text = refused(&|d| {
            d.identity_text = d.identity_text.replace("zstd ", "zstd 9");
            d.job_digest = blake3::hash(d.identity_text.as_bytes()).as_bytes().to_vec();
        });
        assert!(text.contains("zstd is 1"), "{text}");
    }
}
