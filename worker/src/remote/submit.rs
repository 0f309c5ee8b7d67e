//! Handing in finished shards: until the coordinator has them, or does not want them.

use std::time::Duration;

use retrotab_proto::v1;
use tonic::{Code, Status};
use tracing::{info, warn};

use super::backoff::{Backoff, Failed, describe, failed};
use super::held::Held;
use super::session::{Reclaimed, Session};
use super::solving::Solved;
use super::transport::ShardTransport;

/// On leaving, a finished shard is handed in if it takes no longer than this.
const LAST_SUBMIT: Duration = Duration::from_secs(5);
/// After so many answers that the lease is unknown, although it was just given, a shard is
/// dropped.
const UNKNOWN_LEASES: u32 = 5;

/// What became of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Submitted {
    /// The coordinator has it.
    Accepted,
    /// Nobody wants it.
    Dropped,
    /// The worker leaves with it.
    TooLate,
}

/// Hands in the shard of a unit.
pub(crate) async fn submit(
    session: &Session,
    transport: &dyn ShardTransport,
    held: &Held,
    solved: &Solved,
) -> Submitted {
    let attempts = attempts(session, transport, held, solved);
    let leaving = async {
        session.stop.cancelled().await;
        tokio::time::sleep(LAST_SUBMIT).await;
    };
    tokio::select! {
        submitted = attempts => submitted,
        () = leaving => Submitted::TooLate,
    }
}

async fn attempts(
    session: &Session,
    transport: &dyn ShardTransport,
    held: &Held,
    solved: &Solved,
) -> Submitted {
    let mut backoff = Backoff::new();
    let mut unknown = 0;
    loop {
        let again = match reclaim_if_ended(session, held).await {
            Reclaimed::Yes => attempt(session, transport, held, solved).await,
            Reclaimed::No => Err(End::Dropped),
            Reclaimed::Unclear => Ok(Again::Later),
        };
        match again {
            Ok(Again::Later) => {}
            Ok(Again::UnknownLease) if unknown < UNKNOWN_LEASES => unknown += 1,
            Ok(Again::UnknownLease) => {
                warn!("the coordinator does not know the leases that it gives; dropped");
                return Submitted::Dropped;
            }
            Err(End::Accepted) => return Submitted::Accepted,
            Err(End::Dropped) => return Submitted::Dropped,
        }
        // This goes on when the worker leaves; whoever calls this ends it.
        let _ = tokio::time::timeout(backoff.delay(), session.news.notified()).await;
    }
}

/// Why another attempt is to be made.
enum Again {
    Later,
    UnknownLease,
}

/// Why none is.
enum End {
    Accepted,
    Dropped,
}

/// A shard whose lease has ended may still be wanted.
async fn reclaim_if_ended(session: &Session, held: &Held) -> Reclaimed {
    let Some(reason) = held.ended() else { return Reclaimed::Yes };
    let reclaimed = session.reclaim(held).await;
    match reclaimed {
        Reclaimed::Yes => info!("the lease had ended ({reason}), but the shard is still wanted"),
        Reclaimed::No => {
            let why = held.ended().unwrap_or_default();
            info!("the lease has ended ({reason}), and the shard is not wanted: {why}");
        }
        Reclaimed::Unclear => {}
    }
    reclaimed
}

async fn attempt(
    session: &Session,
    transport: &dyn ShardTransport,
    held: &Held,
    solved: &Solved,
) -> Result<Again, End> {
    let lease = held.lease();
    let header = v1::SubmitHeader {
        worker: session.registration().answer.worker,
        job_digest: held.job.digest.0.to_vec(),
        lease,
        unit: held.unit.0,
        digest: Some(v1::ShardDigest {
            blake3: solved.digest.blake3.as_bytes().to_vec(),
            length: solved.digest.length,
        }),
    };
    let submitted = transport.submit(header, solved.shard.clone(), held.sent.clone()).await;
    match submitted {
        Ok(answer) => {
            if answer.first_worker.is_empty() {
                info!(bytes = solved.digest.length, "submitted");
            } else {
                info!(first = answer.first_worker, "submitted; the same had come before");
            }
            Err(End::Accepted)
        }
        Err(status) if status.code() == Code::NotFound => {
            not_found(session, held, lease).await;
            Ok(Again::UnknownLease)
        }
        Err(status) => refused(session, held, &status).await,
    }
}

/// Either the worker or the lease is unknown.
async fn not_found(session: &Session, held: &Held, lease: u64) {
    // If it is the worker, this registers again, and renews the lease.
    let known = session.make_sure_of_registration().await;
    if known.is_ok() && held.lease() == lease {
        held.end(lease, "the coordinator does not know it");
    }
}

async fn refused(session: &Session, held: &Held, status: &Status) -> Result<Again, End> {
    let text = describe(status);
    match failed(status) {
        Failed::ForNow => {
            info!("cannot submit yet, keeping the shard: {text}");
            Ok(Again::Later)
        }
        Failed::ForGood => {
            warn!("the coordinator refuses the shard: {text}");
            if status.code() == Code::InvalidArgument {
                session.end_lease(held, format!("the shard was refused: {text}")).await;
            }
            Err(End::Dropped)
        }
        Failed::Always => {
            session.fail_if_hopeless(status);
            Err(End::Dropped)
        }
    }
}
