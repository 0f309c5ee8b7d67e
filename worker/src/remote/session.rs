//! The worker's registration, which it renews whenever the coordinator does not know it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retrotab_proto::v1::{
    EndLeaseRequest, HeartbeatRequest, ReclaimRequest, RegisterRequest, RegisterResponse,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Response, Status};
use tracing::{debug, info, warn};

use super::backoff::{Backoff, Failed, describe, failed};
use super::connect::Client;
use super::error::WorkerError;
use super::held::{Held, HeldUnits};
use super::streaming::within;

/// How long a call may take that moves no shards.
pub(crate) const CALL: Duration = Duration::from_secs(30);
/// How long calls may take that are made on leaving.
pub(crate) const LAST_CALL: Duration = Duration::from_secs(5);

/// A worker with its coordinator.
pub(crate) struct Session {
    pub(crate) client: Client,
    me: RegisterRequest,
    registration: Mutex<Registration>,
    /// Held while the worker registers.
    registering: tokio::sync::Mutex<()>,
    pub(crate) held: Arc<HeldUnits>,
    /// A call that failed may succeed now, or need not be made again.
    pub(crate) news: Notify,
    /// The worker is to leave.
    pub(crate) stop: CancellationToken,
    fatal: Mutex<Option<WorkerError>>,
}

/// What the coordinator answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registration {
    /// Which one it is. Ids do not tell: a coordinator that was restarted may give one again.
    generation: u64,
    pub(crate) answer: RegisterResponse,
}

/// What became of asking for a lease of a unit that the worker already has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reclaimed {
    /// The unit goes on.
    Yes,
    /// It is to be dropped.
    No,
    /// The coordinator could not be asked.
    Unclear,
}

impl Session {
    /// Before the first registration.
    pub(crate) fn new(client: Client, me: RegisterRequest, stop: CancellationToken) -> Session {
        Session {
            client,
            me,
            registration: Mutex::default(),
            registering: tokio::sync::Mutex::default(),
            held: Arc::default(),
            news: Notify::new(),
            stop,
            fatal: Mutex::default(),
        }
    }

    /// The worker leaves because of this.
    pub(crate) fn fail(&self, error: WorkerError) {
        tracing::error!("{error}");
        let mut fatal = self.fatal.lock().unwrap_or_else(PoisonError::into_inner);
        fatal.get_or_insert(error);
        drop(fatal);
        self.stop.cancel();
    }

    /// Why it leaves, if it has to.
    pub(crate) fn take_failure(&self) -> Option<WorkerError> {
        self.fatal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn registration(&self) -> Registration {
        self.current().clone()
    }

    /// Registers, unless somebody else has since this was the current registration, and claims
    /// what the worker holds. Tries until the worker is to leave.
    pub(crate) async fn register(&self, before: &Registration) {
        let _one_at_a_time = self.registering.lock().await;
        if self.current().generation != before.generation {
            return;
        }
        let Some(answer) = self.register_once_there().await else { return };
        let (id, version) = (answer.worker, &answer.version);
        info!(id, coordinator = %version, "registered");
        // Only then do leases go on: what the worker holds is not to be given out a second time,
        // least of all to itself.
        for held in self.held.all() {
            self.reclaim_as(id, &held).await;
        }
        let generation = before.generation + 1;
        *self.current() = Registration { generation, answer };
    }

    async fn register_once_there(&self) -> Option<RegisterResponse> {
        let mut backoff = Backoff::new();
        let mut said = String::new();
        while !self.stop.is_cancelled() {
            let call = self.client.clone();
            let answer = tokio::select! {
                () = self.stop.cancelled() => return None,
                answer = register(call, self.me.clone()) => answer,
            };
            let status = match answer {
                Ok(answer) => return Some(answer),
                Err(status) => status,
            };
            let text = describe(&status);
            if failed(&status) != Failed::ForNow {
                self.fail(WorkerError::Refused(text));
                return None;
            }
            if said != text {
                warn!("cannot reach the coordinator, trying again: {text}");
                said = text;
            }
            backoff.wait(&self.stop).await;
        }
        None
    }

    /// Makes a call with the worker's id that fails with `NOT_FOUND` only if that is unknown.
    /// The worker then registers again, and the call can be made again.
    pub(crate) async fn call<T, F>(&self, call: impl FnOnce(Client, u64) -> F) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let registration = self.registration();
        match within(CALL, call(self.client.clone(), registration.answer.worker)).await {
            Ok(answer) => Ok(answer.into_inner()),
            Err(status) if status.code() == Code::NotFound => {
                info!("the coordinator does not know this worker: {}", status.message());
                self.register(&registration).await;
                Err(Status::unavailable("the worker had to register again"))
            }
            Err(status) => {
                self.fail_if_hopeless(&status);
                Err(status)
            }
        }
    }

    /// Leaves if no call will ever succeed.
    pub(crate) fn fail_if_hopeless(&self, status: &Status) {
        if failed(status) == Failed::Always {
            self.fail(WorkerError::Refused(describe(status)));
        }
    }

    /// Registers again if the coordinator does not know this worker.
    pub(crate) async fn make_sure_of_registration(&self) -> Result<(), Status> {
        let call = |mut client: Client, worker| async move {
            let doing = String::new();
            client.heartbeat(HeartbeatRequest { worker, leases: Vec::new(), doing }).await
        };
        self.call(call).await.map(|_| ())
    }

    /// Asks for a new lease of a unit that the worker has.
    pub(crate) async fn reclaim(&self, held: &Held) -> Reclaimed {
        self.reclaim_as(self.registration().answer.worker, held).await
    }

    async fn reclaim_as(&self, worker: u64, held: &Held) -> Reclaimed {
        let (job_digest, unit) = (held.job.digest.0.to_vec(), held.unit.0);
        let mut client = self.client.clone();
        let call = client.reclaim(ReclaimRequest { worker, job_digest, unit });
        match within(CALL, call).await.map(Response::into_inner) {
            Ok(answer) => match answer.lease {
                Some(lease) => {
                    debug!(unit, lease, "going on with a unit");
                    held.renew(lease);
                    Reclaimed::Yes
                }
                None => {
                    held.end(held.lease(), &answer.reason);
                    Reclaimed::No
                }
            },
            Err(status) if failed(&status) == Failed::ForNow => Reclaimed::Unclear,
            Err(status) => {
                self.fail_if_hopeless(&status);
                held.end(held.lease(), &describe(&status));
                Reclaimed::No
            }
        }
    }

    /// Gives a lease back. Whether the coordinator hears of it or not, the lease ends.
    pub(crate) async fn end_lease(&self, held: &Held, failure: String) {
        let request = EndLeaseRequest {
            worker: self.registration().answer.worker,
            job_digest: held.job.digest.0.to_vec(),
            lease: held.lease(),
            failure,
        };
        self.send_end_lease(request).await;
    }

    pub(crate) async fn send_end_lease(&self, request: EndLeaseRequest) {
        let mut backoff = Backoff::new();
        loop {
            let time = if self.stop.is_cancelled() { LAST_CALL } else { CALL };
            let mut client = self.client.clone();
            match within(time, client.end_lease(request.clone())).await {
                Ok(_) => return,
                Err(status) => {
                    debug!("cannot give a lease back: {}", describe(&status));
                    if failed(&status) != Failed::ForNow || self.stop.is_cancelled() {
                        return;
                    }
                }
            }
            backoff.wait(&self.stop).await;
        }
    }

    fn current(&self) -> MutexGuard<'_, Registration> {
        self.registration.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn register(mut client: Client, me: RegisterRequest) -> Result<RegisterResponse, Status> {
    Ok(within(CALL, client.register(me)).await?.into_inner())
}
