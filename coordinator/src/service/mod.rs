//! The gRPC service: a thin driver of the [`Daemon`].
//!
//! Calls into the daemon may wait for the disk, so they run on threads that may block. What
//! comes in is bounded before it is kept: see [`Limits`].

mod publishing;
mod status;
mod transfer;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use retrotab_proto::v1;
use retrotab_proto::v1::coordinator_server::{Coordinator, CoordinatorServer};
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status, Streaming};

use crate::daemon::{Daemon, DaemonError, LeaseReply, ReclaimReply};
use crate::ids::{LeaseId, ShardDigest, UnitId};

use publishing::ProgressStream;
pub use status::to_status;
use transfer::FetchStream;

/// Bounds on what callers can make the coordinator hold.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of shards, and of tables that are published, that may be in memory at a time while
    /// they come in; further uploads wait. One shard may be larger.
    pub upload_bytes: u64,
    /// How long an upload may be silent.
    pub upload_silence: Duration,
    /// Shards that may be going out at a time; further downloads wait.
    pub downloads: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let upload_silence = Duration::from_secs(30);
        Limits { upload_bytes: 256 << 20, upload_silence, downloads: 64 }
    }
}

/// Answers calls for a daemon.
#[derive(Clone)]
pub struct Service {
    daemon: Arc<Daemon>,
    limits: Limits,
    /// A permit for every MiB of shards coming in.
    uploads: Arc<Semaphore>,
    downloads: Arc<Semaphore>,
    /// Held while a table that was published is checked.
    checking: Arc<Semaphore>,
}

/// Longest message that is not a chunk of a shard.
const MESSAGE_BYTES: usize = 4 << 20;

impl Service {
    /// A service for a daemon.
    pub fn new(daemon: Arc<Daemon>, limits: Limits) -> Service {
        let uploads = Arc::new(Semaphore::new(permits(limits.upload_bytes) as usize));
        let downloads = Arc::new(Semaphore::new(limits.downloads));
        let checking = Arc::new(Semaphore::new(1));
        Service { daemon, limits, uploads, downloads, checking }
    }

    /// The service as tonic serves it, with the longest message it takes.
    pub fn into_server(self) -> CoordinatorServer<Service> {
        CoordinatorServer::new(self).max_decoding_message_size(MESSAGE_BYTES)
    }

    /// Calls the daemon on a thread that may wait.
    async fn daemon<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Daemon) -> Result<T, DaemonError> + Send + 'static,
    ) -> Result<T, Status> {
        let daemon = Arc::clone(&self.daemon);
        let done = tokio::task::spawn_blocking(move || call(&daemon)).await;
        done.map_err(|error| Status::internal(format!("bug: {error}")))?.map_err(to_status)
    }
}

/// Permits for so many bytes: one for each MiB.
fn permits(bytes: u64) -> u32 {
    bytes.div_ceil(1 << 20).clamp(1, 1 << 20) as u32
}

fn address<T>(request: &Request<T>) -> Option<IpAddr> {
    request.remote_addr().map(|address| address.ip())
}

fn millis(time: Duration) -> u32 {
    time.as_millis().try_into().unwrap_or(u32::MAX)
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl Coordinator for Service {
    async fn submit_job(
        &self,
        request: Request<v1::SubmitJobRequest>,
    ) -> Answer<v1::SubmitJobResponse> {
        let request = request.into_inner();
        let (job, existed) = self.daemon(move |daemon| daemon.submit(&request)).await?;
        Ok(Response::new(v1::SubmitJobResponse { job: Some(job), existed }))
    }

    async fn list_jobs(&self, _: Request<v1::ListJobsRequest>) -> Answer<v1::ListJobsResponse> {
        let jobs = self.daemon(|daemon| Ok(daemon.summaries())).await?;
        Ok(Response::new(v1::ListJobsResponse { jobs }))
    }

    async fn get_job(&self, request: Request<v1::GetJobRequest>) -> Answer<v1::GetJobResponse> {
        let digest = request.into_inner().job_digest;
        self.daemon(move |daemon| daemon.job(&digest)).await.map(Response::new)
    }

    async fn cancel_job(
        &self,
        request: Request<v1::CancelJobRequest>,
    ) -> Answer<v1::CancelJobResponse> {
        let digest = request.into_inner().job_digest;
        let job = self.daemon(move |daemon| daemon.cancel(&digest)).await?;
        Ok(Response::new(v1::CancelJobResponse { job: Some(job) }))
    }

    async fn list_workers(
        &self,
        _: Request<v1::ListWorkersRequest>,
    ) -> Answer<v1::ListWorkersResponse> {
        let workers = self.daemon(|daemon| Ok(daemon.worker_infos())).await?;
        Ok(Response::new(v1::ListWorkersResponse { workers }))
    }

    async fn register(
        &self,
        request: Request<v1::RegisterRequest>,
    ) -> Answer<v1::RegisterResponse> {
        let (address, request) = (address(&request), request.into_inner());
        let registered = self.daemon(move |daemon| daemon.register(&request, address));
        registered.await.map(Response::new)
    }

    async fn lease(&self, request: Request<v1::LeaseRequest>) -> Answer<v1::LeaseResponse> {
        let request = request.into_inner();
        let known = request.known_jobs;
        let answer = self
            .daemon(move |daemon| {
                Ok(match daemon.lease(request.worker)? {
                    LeaseReply::Granted(job, grant) => {
                        let described = known.iter().any(|known| *known == job.0);
                        let description = if described { None } else { daemon.describe(job) };
                        v1::lease_response::Answer::Grant(v1::Grant {
                            lease: grant.lease.0,
                            job_digest: job.0.to_vec(),
                            unit: Some(v1::UnitDescription {
                                unit: grant.unit.0,
                                section: grant.range.section.0,
                                first: grant.range.first,
                                entries: grant.range.entries,
                            }),
                            job: description,
                        })
                    }
                    LeaseReply::Idle { reason, retry } => {
                        let retry_millis = millis(retry);
                        v1::lease_response::Answer::Idle(v1::Idle { reason, retry_millis })
                    }
                })
            })
            .await?;
        Ok(Response::new(v1::LeaseResponse { answer: Some(answer) }))
    }

    async fn reclaim(&self, request: Request<v1::ReclaimRequest>) -> Answer<v1::ReclaimResponse> {
        let request = request.into_inner();
        let unit = UnitId(request.unit);
        let claimed = self
            .daemon(move |daemon| daemon.reclaim(request.worker, &request.job_digest, unit))
            .await?;
        Ok(Response::new(match claimed {
            ReclaimReply::Granted(LeaseId(lease)) => {
                v1::ReclaimResponse { lease: Some(lease), reason: String::new() }
            }
            ReclaimReply::Drop(reason) => v1::ReclaimResponse { lease: None, reason },
        }))
    }

    async fn heartbeat(
        &self,
        request: Request<v1::HeartbeatRequest>,
    ) -> Answer<v1::HeartbeatResponse> {
        let request = request.into_inner();
        let ended = self.daemon(move |daemon| daemon.heartbeat(&request)).await?;
        Ok(Response::new(v1::HeartbeatResponse { ended }))
    }

    async fn end_lease(
        &self,
        request: Request<v1::EndLeaseRequest>,
    ) -> Answer<v1::EndLeaseResponse> {
        let v1::EndLeaseRequest { worker, job_digest, lease, failure } = request.into_inner();
        let lease = LeaseId(lease);
        self.daemon(move |daemon| daemon.end_lease(worker, &job_digest, lease, &failure)).await?;
        Ok(Response::new(v1::EndLeaseResponse {}))
    }

    async fn locate_shards(
        &self,
        request: Request<v1::LocateShardsRequest>,
    ) -> Answer<v1::LocateShardsResponse> {
        let v1::LocateShardsRequest { job_digest, units } = request.into_inner();
        let located = self.daemon(move |daemon| daemon.locate(&job_digest, &units)).await?;
        let message = |(unit, digest): (UnitId, Option<ShardDigest>)| v1::LocatedShard {
            unit: unit.0,
            digest: digest.map(|digest| digest.message()),
        };
        let shards = located.into_iter().map(message).collect();
        Ok(Response::new(v1::LocateShardsResponse { shards }))
    }

    type FetchShardStream = FetchStream;

    async fn fetch_shard(&self, request: Request<v1::FetchShardRequest>) -> Answer<FetchStream> {
        self.fetch(request.into_inner()).await.map(Response::new)
    }

    async fn submit_shard(
        &self,
        request: Request<Streaming<v1::SubmitShardChunk>>,
    ) -> Answer<v1::SubmitShardResponse> {
        self.receive(request.into_inner()).await.map(Response::new)
    }

    async fn submit_stored(
        &self,
        request: Request<v1::SubmitStoredRequest>,
    ) -> Answer<v1::SubmitShardResponse> {
        let header = request.into_inner().header;
        let header = header.ok_or_else(|| Status::invalid_argument("the header is missing"))?;
        let upload = self.daemon(move |daemon| daemon.begin_submit(&header)).await?;
        // It is read into memory to be checked.
        let _coming_in = self.room_for(upload.length()).await?;
        let first = self.daemon(move |daemon| daemon.finish_stored(upload)).await?;
        let first_worker = first.map(|name| name.to_string()).unwrap_or_default();
        Ok(Response::new(v1::SubmitShardResponse { first_worker }))
    }

    async fn deregister(
        &self,
        request: Request<v1::DeregisterRequest>,
    ) -> Answer<v1::DeregisterResponse> {
        let worker = request.into_inner().worker;
        self.daemon(move |daemon| {
            daemon.deregister(worker);
            Ok(())
        })
        .await?;
        Ok(Response::new(v1::DeregisterResponse {}))
    }

    async fn offer_table(
        &self,
        request: Request<Streaming<v1::OfferTableChunk>>,
    ) -> Answer<v1::OfferTableResponse> {
        self.offer(request.into_inner()).await.map(Response::new)
    }

    async fn send_table_file(
        &self,
        request: Request<Streaming<v1::SendTableFileChunk>>,
    ) -> Answer<v1::SendTableFileResponse> {
        self.receive_file(request.into_inner()).await.map(Response::new)
    }

    type FinishTableStream = ProgressStream;

    async fn finish_table(
        &self,
        request: Request<v1::FinishTableRequest>,
    ) -> Answer<ProgressStream> {
        self.finish(request.into_inner()).await.map(Response::new)
    }
}
