//! Every rule of the scheduler, step by step, with a fake clock; and random steps.

mod copies;
mod failing;
mod late;
mod leasing;
mod property;
mod restarts;
mod sections;
mod stopping;

use std::sync::Arc;
use std::time::Duration;

use retrotab_tablefmt::layout::{SectionId, UnitRange};

use super::*;
use crate::plan::SectionNode;

const LEASE: u64 = 60;
const COPY: u64 = 10;

fn at(seconds: u64) -> Tick {
    Tick(Duration::from_secs(seconds))
}

fn policy() -> Policy {
    Policy {
        lease_time: Duration::from_secs(LEASE),
        attempts: 3,
        losses: 6,
        leases_per_worker: 2,
        fetch_speed: u64::MAX,
        copy_after: Duration::from_secs(COPY),
        back_off: Duration::from_secs(1),
        longest_back_off: Duration::from_secs(4),
    }
}

/// Sections given by their needs and numbers of units of 100 entries.
fn graph(sections: &[(&[u32], u64)]) -> Arc<Graph> {
    let nodes = sections.iter().map(|(needs, units)| SectionNode {
        needs: needs.iter().copied().map(SectionId).collect(),
        entries: units * 100,
    });
    let units = (0..).map(SectionId).zip(sections).flat_map(|(section, (_, units))| {
        (0..*units).map(move |i| UnitRange { section, first: i * 100, entries: 100 })
    });
    Arc::new(Graph::new(nodes.collect(), units.collect()).unwrap())
}

fn scheduler(sections: &[(&[u32], u64)]) -> Scheduler {
    Scheduler::new(graph(sections), policy(), 1, []).unwrap()
}

fn shard(text: &str) -> ShardDigest {
    ShardDigest::of(text.as_bytes())
}

impl Scheduler {
    fn must_grant(&mut self, now: Tick, worker: WorkerId) -> Grant {
        match self.lease(now, worker) {
            Ok(LeaseAnswer::Granted(grant)) => grant,
            other => panic!("no lease: {other:?}"),
        }
    }

    fn must_idle(&mut self, now: Tick, worker: WorkerId) -> Idle {
        match self.lease(now, worker) {
            Ok(LeaseAnswer::Idle(idle)) => idle,
            other => panic!("not idle: {other:?}"),
        }
    }
}
