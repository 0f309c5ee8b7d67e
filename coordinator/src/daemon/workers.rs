//! The workers that are registered with the daemon.
//!
//! A worker has one id here and, in each job it works for, one that the job's scheduler gave
//! it. What it holds is written down too: nobody submits what was leased to somebody else.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::Duration;

use retrotab_proto::v1::{RegisterRequest, WorkerInfo};
use retrotab_tablefmt::shard::JobDigest;

use crate::ids::{LeaseId, Tick, UnitId, WorkerId};

use super::error::DaemonError;
use super::meter::Meter;

/// Longest text that is taken from a worker.
const MAX_TEXT: usize = 200;
/// Most workers at a time: ten times as many as were ever tried, and a few megabytes.
const MAX_WORKERS: usize = 10_000;

/// A lease of some job.
pub(super) type LeaseKey = (JobDigest, LeaseId);

#[derive(Debug)]
pub(super) struct Worker {
    /// Host and name, for people; unlike those of all other workers.
    pub(super) name: String,
    version: String,
    threads: u32,
    memory: u64,
    address: Option<IpAddr>,
    last_seen: Tick,
    doing: String,
    units_done: u32,
    /// Entries of units it has completed.
    entries_done: u64,
    meter: Meter,
    pub(super) in_jobs: HashMap<JobDigest, WorkerId>,
    leases: HashMap<LeaseKey, Held>,
}

/// What a worker was leased. Ended leases stay for a while: a late shard is welcome.
#[derive(Debug, Clone, Copy)]
struct Held {
    unit: UnitId,
    entries: u64,
    ended: bool,
    completed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Workers {
    all: BTreeMap<u64, Worker>,
}

impl Workers {
    pub(super) fn add(
        &mut self,
        now: Tick,
        request: &RegisterRequest,
        address: Option<IpAddr>,
    ) -> Result<(u64, String), DaemonError> {
        if self.all.len() >= MAX_WORKERS {
            return Err(DaemonError::TooManyWorkers(MAX_WORKERS));
        }
        // Random, so that a worker of a coordinator that has been restarted is not taken for
        // one that registered after it.
        let mut id = fastrand::u64(1..);
        while self.all.contains_key(&id) {
            id = fastrand::u64(1..);
        }
        let (host, own) = (printable(&request.host), printable(&request.name));
        let base = match (host.is_empty(), own.is_empty()) {
            (_, true) => host,
            (true, false) => own,
            (false, false) => format!("{host}/{own}"),
        };
        let mut name = if base.is_empty() { format!("worker-{id:016x}") } else { base.clone() };
        let mut number = 2;
        while self.all.values().any(|worker| worker.name == name) {
            name = format!("{base}#{number}");
            number += 1;
        }
        let worker = Worker {
            name: name.clone(),
            version: printable(&request.version),
            threads: request.threads,
            memory: request.memory,
            address,
            last_seen: now,
            doing: String::new(),
            units_done: 0,
            entries_done: 0,
            meter: Meter::default(),
            in_jobs: HashMap::new(),
            leases: HashMap::new(),
        };
        self.all.insert(id, worker);
        Ok((id, name))
    }

    /// The worker, which has just called.
    pub(super) fn called(&mut self, now: Tick, id: u64) -> Result<&mut Worker, DaemonError> {
        let worker = self.all.get_mut(&id).ok_or(DaemonError::UnknownWorker(id))?;
        worker.last_seen = now;
        Ok(worker)
    }

    pub(super) fn remove(&mut self, id: u64) -> Option<Worker> {
        self.all.remove(&id)
    }

    /// Workers that have not called for longer than `patience`.
    pub(super) fn silent(&self, now: Tick, patience: Duration) -> Vec<u64> {
        let silent = |worker: &Worker| now.since(worker.last_seen) > patience;
        self.all.iter().filter(|(_, worker)| silent(worker)).map(|(&id, _)| id).collect()
    }

    /// A job is closed: nothing of it is held any more.
    pub(super) fn forget_job(&mut self, job: JobDigest) {
        for worker in self.all.values_mut() {
            worker.in_jobs.remove(&job);
            worker.leases.retain(|key, _| key.0 != job);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn infos(&self, now: Tick) -> Vec<WorkerInfo> {
        self.all.iter().map(|(&id, worker)| worker.info(id, now)).collect()
    }
}

impl Worker {
    pub(super) fn granted(&mut self, key: LeaseKey, unit: UnitId, entries: u64) {
        self.leases.insert(key, Held { unit, entries, ended: false, completed: false });
    }

    /// The unit of a lease, whether it has ended or not.
    pub(super) fn leased(&self, key: LeaseKey) -> Result<UnitId, DaemonError> {
        self.leases.get(&key).map(|held| held.unit).ok_or(DaemonError::UnknownLease(key.1))
    }

    /// The lease has ended, but its shard may still come.
    pub(super) fn ended(&mut self, key: LeaseKey) {
        if let Some(held) = self.leases.get_mut(&key) {
            held.ended = true;
        }
    }

    /// The lease has gone for good.
    pub(super) fn gave_back(&mut self, key: LeaseKey) {
        self.leases.remove(&key);
    }

    /// The shard is in. The lease is still known, for a worker that asks again because it got
    /// no answer.
    pub(super) fn completed(&mut self, now: Tick, key: LeaseKey) {
        if let Some(held) = self.leases.get_mut(&key)
            && !std::mem::replace(&mut held.completed, true)
        {
            held.ended = true;
            self.units_done += 1;
            self.entries_done += held.entries;
            self.meter.note(now, self.entries_done);
        }
    }

    pub(super) fn reports(&mut self, now: Tick, entries: u64, doing: &str) {
        self.meter.note(now, self.entries_done.saturating_add(entries));
        self.doing = printable(doing);
    }

    fn info(&self, id: u64, now: Tick) -> WorkerInfo {
        WorkerInfo {
            worker: id,
            name: self.name.clone(),
            version: self.version.clone(),
            threads: self.threads,
            memory: self.memory,
            address: self.address.map(|address| address.to_string()).unwrap_or_default(),
            leases: self.leases.values().filter(|held| !held.ended).count() as u32,
            units_done: self.units_done,
            entries_per_second: self.meter.rate(now),
            silent_seconds: now.since(self.last_seen).as_secs_f64(),
            doing: self.doing.clone(),
        }
    }
}

/// Text from the network, for people: no control characters, and not too long.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(host: &str, name: &str) -> RegisterRequest {
        RegisterRequest { host: host.into(), name: name.into(), ..RegisterRequest::default() }
    }

    #[test]
    fn names_are_printable_and_differ() {
        let mut workers = Workers::default();
        let mut add =
            |host, name| workers.add(Tick::default(), &request(host, name), None).unwrap().1;
        assert_eq!(add("anna", "1"), "anna/1");
        assert_eq!(add("anna", "1"), "anna/1#2");
        assert_eq!(add("anna", "1"), "anna/1#3");
        assert_eq!(add("\x1b[31manna\n", ""), "[31manna");
        assert!(add("", "").starts_with("worker-"));
        assert_eq!(add(&"x".repeat(5000), "").len(), MAX_TEXT);
    }

    #[test]
    fn there_is_room_again_when_one_has_left() {
        let mut workers = Workers::default();
        let mut last = 0;
        for _ in 0..MAX_WORKERS {
            last = workers.add(Tick::default(), &request("", ""), None).unwrap().0;
        }
        let refused = workers.add(Tick::default(), &request("", ""), None).unwrap_err();
        assert!(refused.to_string().contains("10000 workers"), "{refused}");
        workers.remove(last);
        workers.add(Tick::default(), &request("", ""), None).unwrap();
    }

    #[test]
    fn silent_workers_are_found_and_leases_are_their_own() {
        let mut workers = Workers::default();
        let second = |s| Tick(Duration::from_secs(s));
        let (one, _) = workers.add(second(0), &request("a", ""), None).unwrap();
        let (two, _) = workers.add(second(0), &request("b", ""), None).unwrap();
        let key = (JobDigest([1; 32]), LeaseId(7));
        workers.called(second(50), one).unwrap().granted(key, UnitId(3), 100);
        assert_eq!(workers.silent(second(61), Duration::from_secs(60)), [two]);
        let leased =
            |workers: &mut Workers, id| workers.called(second(61), id).unwrap().leased(key);
        assert_eq!(leased(&mut workers, one).unwrap(), UnitId(3));
        assert!(matches!(leased(&mut workers, two), Err(DaemonError::UnknownLease(_))));
        workers.forget_job(key.0);
        assert!(leased(&mut workers, one).is_err());
        assert!(matches!(workers.called(second(1), 42), Err(DaemonError::UnknownWorker(42))));
    }
}
