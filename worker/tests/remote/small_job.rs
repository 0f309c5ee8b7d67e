//! Small jobs, and their shards made without any network.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use retrotab_proto::v1;
use retrotab_tablefmt::identity::JobIdentity;
use retrotab_tablefmt::layout::{SectionId, TableLayout, UnitRange};
use retrotab_tablefmt::shard::{Shard, UnitId};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::stack::{Cards, Rule, StackSpec, Stacks};
use retrotab_worker::stack::{Isa, Resources};
use retrotab_worker::{UnitSolver, ValueSource};

/// Shards by unit.
pub type Shards = BTreeMap<u32, Vec<u8>>;

/// A job, cut into the smallest units there can be.
pub struct SmallJob {
    pub identity: JobIdentity,
    pub layout: TableLayout,
    pub units: Vec<UnitRange>,
    spec: StackSpec,
    unit_entries: u64,
    expected: OnceLock<Shards>,
}

/// A job with several units in its larger sections, and a smaller one.
pub fn jobs() -> [Arc<SmallJob>; 2] {
    static JOBS: OnceLock<[Arc<SmallJob>; 2]> = OnceLock::new();
    let job = |cards, rule| Arc::new(SmallJob::new(3, cards, rule));
    JOBS.get_or_init(|| [job(9, Rule::Sorted), job(6, Rule::Choice)]).clone()
}

impl SmallJob {
    fn new(stacks: u8, cards: u8, rule: Rule) -> SmallJob {
        let (stacks, cards) = (Stacks::try_from(stacks).unwrap(), Cards::try_from(cards).unwrap());
        let spec = StackSpec { stacks, cards, rule };
        let layout = spec.layout();
        let unit_entries = layout.unit_alignment();
        let mut units = Vec::new();
        for (section, of) in (0..).map(SectionId).zip(&layout.sections) {
            for first in (0..of.entries).step_by(unit_entries as usize) {
                let entries = unit_entries.min(of.entries - first);
                units.push(UnitRange { section, first, entries });
            }
        }
        let identity = JobIdentity::new(&TableSpec::Stack(spec), &layout, unit_entries);
        SmallJob { identity, layout, units, spec, unit_entries, expected: OnceLock::new() }
    }

    pub fn digest(&self) -> Vec<u8> {
        self.identity.job_digest().0.to_vec()
    }

    pub fn description(&self) -> v1::JobDescription {
        v1::JobDescription {
            job_digest: self.digest(),
            table: serde_json::to_string(&TableSpec::Stack(self.spec)).unwrap(),
            unit_entries: self.unit_entries,
            identity_text: self.identity.text().to_owned(),
        }
    }

    /// The level of a unit's section; it needs nothing but sections of lower levels.
    pub fn level(&self, unit: u32) -> u32 {
        let section = self.units[unit as usize].section.0 as usize;
        let (k, l) = self.layout.sections[section].name.split_once(',').unwrap();
        k.parse::<u32>().unwrap() + l.parse::<u32>().unwrap()
    }

    /// The shards, made one after the other.
    pub fn expected(&self) -> &Shards {
        self.expected.get_or_init(|| {
            let spec = TableSpec::Stack(self.spec);
            let scratch = std::env::temp_dir();
            let resources = Resources { memory: 1 << 30, scratch, isa: Isa::detect() };
            let mut solver = UnitSolver::new(&spec, self.identity.job_digest(), resources);
            let mut made = Made { job: self, sections: Vec::new(), shards: Shards::new() };
            for (unit, &range) in (0..).zip(&self.units) {
                let shard = solver.solve(UnitId(unit), range, &made, &()).unwrap();
                made.add(unit, range, shard);
            }
            made.shards
        })
    }
}

/// What was made so far.
struct Made<'a> {
    job: &'a SmallJob,
    sections: Vec<Vec<u8>>,
    shards: Shards,
}

impl Made<'_> {
    fn add(&mut self, unit: u32, range: UnitRange, shard: Vec<u8>) {
        self.sections.resize(range.section.0 as usize + 1, Vec::new());
        let mut raw = vec![0; 2 * range.entries as usize];
        let opened = Shard::open(Box::new(shard.clone()), "shard".as_ref(), &self.job.layout);
        opened.unwrap().read_raw(0, 0, &mut raw).unwrap();
        self.sections.last_mut().unwrap().extend(raw);
        self.shards.insert(unit, shard);
    }
}

impl ValueSource for Made<'_> {
    fn read(
        &self,
        section: SectionId,
        _column: usize,
        from: u64,
        out: &mut [u8],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        out.copy_from_slice(&self.sections[section.0 as usize][from as usize..][..out.len()]);
        Ok(())
    }
}
