//! The values that units need: shards of other units, looked up in the cache, or fetched.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use retrotab_proto::v1::{LocateShardsRequest, LocateShardsResponse, LocatedShard};
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::layout::SectionId;
use retrotab_tablefmt::shard::{JobDigest, Shard, UnitId};
use tonic::Status;
use tracing::{debug, warn};

use super::backoff::{Backoff, Failed, describe, failed};
use super::cache::{CacheWriter, ShardCache};
use super::description::Job;
use super::error::{CacheError, FetchError};
use super::held::Held;
use super::session::{CALL, Session};
use super::streaming::within;
use super::transport::{ShardDigest, ShardName, ShardTransport};

/// Most units that the coordinator is asked about at a time.
const LOCATED_TOGETHER: usize = 4096;
/// How often a shard is fetched anew because it came with wrong bytes.
const WRONG_BYTES: u32 = 3;

/// The shards of other units.
pub(crate) struct Inputs {
    session: Arc<Session>,
    transport: Arc<dyn ShardTransport>,
    pub(crate) cache: Arc<ShardCache>,
    located: Mutex<Located>,
}

/// What the shards of the newest job are; they do not change.
#[derive(Default)]
struct Located {
    job: Option<JobDigest>,
    shards: HashMap<UnitId, ShardDigest>,
}

impl Inputs {
    pub(crate) fn new(
        session: Arc<Session>,
        transport: Arc<dyn ShardTransport>,
        cache: ShardCache,
    ) -> Inputs {
        Inputs { session, transport, cache: Arc::new(cache), located: Mutex::default() }
    }

    /// Fetches what a unit needs that is solved after one of section `before`. What does not
    /// fit into half of the cache comes later, when it is read.
    pub(crate) async fn prefetch(
        &self,
        held: &Held,
        before: Option<SectionId>,
    ) -> Result<(), FetchError> {
        let needs = held.job.needs.of(held.range, before);
        let units = needs.into_iter().flat_map(|(section, of)| held.job.units_of(section, of));
        let mut units: Vec<UnitId> = units.collect();
        units.sort_unstable();
        units.dedup();
        let mut room = self.cache.most() / 2;
        for units in units.chunks(LOCATED_TOGETHER) {
            for shard in self.locate(&held.job, units).await? {
                let Some(left) = room.checked_sub(shard.digest.length) else { return Ok(()) };
                room = left;
                self.cached(held, shard).await?;
            }
        }
        Ok(())
    }

    /// Opens the shard of a unit.
    pub(crate) async fn open(&self, held: &Held, unit: UnitId) -> Result<Shard, FetchError> {
        let shard = self.locate(&held.job, &[unit]).await?[0];
        let path = self.cache.path(&shard);
        let file = self.cached(held, shard).await?;
        let opened = Shard::open(Box::new(file), &path, &held.job.layout);
        let opened = opened.map_err(|error| unreadable(unit, error))?;
        let header = opened.header();
        if (header.job, header.unit) != (held.job.digest, unit)
            || Some(header.range()) != held.job.range(unit)
        {
            let what = format!("it says that it is of job {}, unit {}", header.job, header.unit);
            return Err(FetchError::Bad { unit, what });
        }
        Ok(opened)
    }

    /// Forgets a unit's shard in the cache, for it cannot be read.
    pub(crate) async fn forget(&self, held: &Held, unit: UnitId) -> Result<(), FetchError> {
        let shard = self.locate(&held.job, &[unit]).await?[0];
        Ok(self.cache.remove(&shard)?)
    }

    /// A shard's file in the cache, fetched if need be.
    async fn cached(&self, held: &Held, shard: ShardName) -> Result<std::fs::File, FetchError> {
        let mut wrong = 0;
        let mut disk_was_full = false;
        loop {
            let found = self.blocking(move |cache| cache.get(&shard)).await?;
            if let Some(file) = found {
                return Ok(file);
            }
            let written = match self.download(held, shard).await {
                Err(FetchError::Local(error)) if error.is_full() && !disk_was_full => {
                    disk_was_full = true;
                    self.blocking(|cache| cache.make_room(0)).await?;
                    continue;
                }
                written => written?,
            };
            let finished = self.blocking(move |cache| cache.finish(written)).await?;
            if let Err(unfit) = finished {
                wrong += 1;
                let what = unfit.to_string();
                warn!(input = shard.unit.0, what, "a shard came with wrong bytes");
                if wrong >= WRONG_BYTES {
                    return Err(FetchError::Bad { unit: shard.unit, what });
                }
            }
        }
    }

    /// Fetches a shard, going on where it was interrupted.
    async fn download(&self, held: &Held, shard: ShardName) -> Result<CacheWriter, FetchError> {
        debug!(input = shard.unit.0, bytes = shard.digest.length, "fetching");
        let mut writer = self.blocking(move |cache| cache.create(shard)).await?;
        let mut backoff = Backoff::new();
        while writer.written() < shard.digest.length {
            let before = writer.written();
            let (filled, status) = self.fill(held, writer).await?;
            writer = filled;
            let status = status.err().unwrap_or_else(|| Status::unavailable("it ended early"));
            if writer.written() >= shard.digest.length {
                break;
            }
            self.give_up(shard.unit, &status)?;
            if writer.written() > before {
                backoff = Backoff::new();
            }
            let (from, text) = (writer.written(), describe(&status));
            debug!(input = shard.unit.0, from, "fetching was interrupted: {text}");
            backoff.wait(held.dropped()).await;
            if held.dropped().is_cancelled() {
                return Err(FetchError::Dropped);
            }
        }
        Ok(writer)
    }

    /// Appends what comes of a shard, up to its end or to an interruption.
    async fn fill(
        &self,
        held: &Held,
        mut writer: CacheWriter,
    ) -> Result<(CacheWriter, Result<(), Status>), FetchError> {
        let shard = *writer.shard();
        let fetch = self.transport.fetch(shard, writer.written());
        let mut stream = tokio::select! {
            () = held.dropped().cancelled() => return Err(FetchError::Dropped),
            stream = fetch => match stream {
                Ok(stream) => stream,
                Err(status) => return Ok((writer, Err(status))),
            },
        };
        while writer.written() < shard.digest.length {
            let piece = tokio::select! {
                () = held.dropped().cancelled() => return Err(FetchError::Dropped),
                piece = stream.next() => piece,
            };
            let piece = match piece {
                Some(Ok(piece)) => piece,
                Some(Err(status)) => return Ok((writer, Err(status))),
                None => break,
            };
            held.fetched.add(piece.len() as u64);
            writer = self
                .blocking(move |_| {
                    writer.write(&piece)?;
                    Ok(writer)
                })
                .await?;
        }
        Ok((writer, Ok(())))
    }

    /// What the shards of some units are.
    async fn locate(&self, job: &Job, units: &[UnitId]) -> Result<Vec<ShardName>, FetchError> {
        let unknown: Vec<u32> = {
            let mut located = self.located.lock().unwrap_or_else(PoisonError::into_inner);
            if located.job != Some(job.digest) {
                *located = Located { job: Some(job.digest), ..Located::default() };
            }
            let unknown = units.iter().filter(|unit| !located.shards.contains_key(unit));
            unknown.map(|unit| unit.0).collect()
        };
        let mut found = HashMap::new();
        if !unknown.is_empty() {
            for shard in self.ask_where(job, unknown).await? {
                let (unit, digest) = located_shard(&shard)?;
                found.insert(unit, digest);
            }
        }
        let mut located = self.located.lock().unwrap_or_else(PoisonError::into_inner);
        if located.job == Some(job.digest) {
            located.shards.extend(&found);
        }
        let name = |&unit: &UnitId| {
            let digest = found.get(&unit).or_else(|| located.shards.get(&unit)).copied();
            let what = "it did not say what its bytes are".to_owned();
            let digest = digest.ok_or(FetchError::Missing { unit, what })?;
            Ok(ShardName { job: job.digest, unit, digest })
        };
        units.iter().map(name).collect()
    }

    async fn ask_where(&self, job: &Job, units: Vec<u32>) -> Result<Vec<LocatedShard>, FetchError> {
        let first = UnitId(units[0]);
        let request = LocateShardsRequest { job_digest: job.digest.0.to_vec(), units };
        let mut backoff = Backoff::new();
        loop {
            let mut client = self.session.client.clone();
            let status = match within(CALL, client.locate_shards(request.clone())).await {
                Ok(answer) => {
                    let LocateShardsResponse { shards } = answer.into_inner();
                    return Ok(shards);
                }
                Err(status) => status,
            };
            self.give_up(first, &status)?;
            backoff.wait(&self.session.stop).await;
            if self.session.stop.is_cancelled() {
                return Err(FetchError::Dropped);
            }
        }
    }

    /// An error if it makes no sense to ask for a shard again.
    fn give_up(&self, unit: UnitId, status: &Status) -> Result<(), FetchError> {
        match failed(status) {
            Failed::ForNow => Ok(()),
            Failed::ForGood => Err(FetchError::Missing { unit, what: describe(status) }),
            Failed::Always => {
                self.session.fail_if_hopeless(status);
                Err(FetchError::Dropped)
            }
        }
    }

    /// Work with files, away from the threads that talk to the network.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ShardCache) -> Result<T, CacheError> + Send + 'static,
    ) -> Result<T, FetchError> {
        let cache = Arc::clone(&self.cache);
        let done = tokio::task::spawn_blocking(move || work(&cache)).await;
        match done {
            Ok(done) => Ok(done?),
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The program is ending.
            Err(_) => Err(FetchError::Dropped),
        }
    }
}

fn located_shard(shard: &LocatedShard) -> Result<(UnitId, ShardDigest), FetchError> {
    let unit = UnitId(shard.unit);
    let missing = |what: &str| FetchError::Missing { unit, what: what.to_owned() };
    let digest = shard.digest.as_ref().ok_or_else(|| missing("it is not done (any more)"))?;
    let blake3 = <[u8; 32]>::try_from(digest.blake3.as_slice());
    let blake3 = blake3.map_err(|_| missing("its digest has a wrong length"))?;
    Ok((unit, ShardDigest { blake3: blake3.into(), length: digest.length }))
}

/// A shard that has the right bytes and yet cannot be read.
pub(crate) fn unreadable(unit: UnitId, error: TableError) -> FetchError {
    match error {
        TableError::Io { path, doing, source } => CacheError { path, doing, source }.into(),
        error => FetchError::Bad { unit, what: error.to_string() },
    }
}
