//! The calls of the coordinator made for tests.

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use retrotab_proto::v1::coordinator_server::Coordinator;
use retrotab_proto::v1::submit_shard_chunk::Part;
use retrotab_proto::v1::*;
use tonic::{Request, Response, Status, Streaming};

use crate::fake::{CHUNK, Fake, State};

/// The calls.
pub struct Service(pub Fake);

type Answer<T> = Result<Response<T>, Status>;

/// Takes one from a number of faults to come.
fn once(left: &mut u32) -> bool {
    let any = *left > 0;
    *left = left.saturating_sub(1);
    any
}

fn digest_of(shard: &[u8]) -> ShardDigest {
    let blake3 = blake3::hash(shard).as_bytes().to_vec();
    ShardDigest { blake3, length: shard.len() as u64 }
}

fn describe_unit(state: &State, job: usize, unit: u32) -> UnitDescription {
    let range = state.jobs[job].units[unit as usize];
    let section = range.section.0;
    UnitDescription { unit, section, first: range.first, entries: range.entries }
}

#[tonic::async_trait]
impl Coordinator for Service {
    async fn register(&self, request: Request<RegisterRequest>) -> Answer<RegisterResponse> {
        let mut state = self.0.state();
        if let Some(status) = &state.faults.refuse_register {
            return Err(status.clone());
        }
        assert_eq!(request.get_ref().protocol_version, retrotab_proto::PROTOCOL_VERSION);
        state.next_id += 1;
        state.registrations += 1;
        let worker = state.next_id;
        state.workers.insert(worker);
        Ok(Response::new(RegisterResponse {
            worker,
            version: "fake".to_owned(),
            heartbeat_millis: 50,
            lease_millis: 60_000,
            leases: 3,
            store_url: String::new(),
        }))
    }

    async fn lease(&self, request: Request<LeaseRequest>) -> Answer<LeaseResponse> {
        let request = request.into_inner();
        let mut state = self.0.state();
        state.known(request.worker)?;
        let Some((job, unit)) = state.ready() else {
            let idle = Idle { reason: "nothing is ready".to_owned(), retry_millis: 50 };
            let answer = Some(lease_response::Answer::Idle(idle));
            return Ok(Response::new(LeaseResponse { answer }));
        };
        let lease = state.grant(request.worker, job, unit);
        if job == 0 {
            *state.times_leased.entry(unit).or_default() += 1;
        }
        let mut description = state.jobs[job].description();
        if state.other_program {
            let other = description.identity_text.replace("zstd ", "zstd 0.");
            description.job_digest = blake3::hash(other.as_bytes()).as_bytes().to_vec();
            description.identity_text = other;
        }
        let job_digest = description.job_digest.clone();
        let known = request.known_jobs.contains(&job_digest);
        state.described += u32::from(!known);
        let grant = Grant {
            lease,
            unit: Some(describe_unit(&state, job, unit)),
            job: (!known).then_some(description),
            job_digest,
        };
        let answer = Some(lease_response::Answer::Grant(grant));
        Ok(Response::new(LeaseResponse { answer }))
    }

    async fn reclaim(&self, request: Request<ReclaimRequest>) -> Answer<ReclaimResponse> {
        let request = request.into_inner();
        let mut state = self.0.state();
        state.known(request.worker)?;
        let job = state.job(&request.job_digest)?;
        state.reclaims += 1;
        if state.stored[job].contains_key(&request.unit) {
            let reason = "it is done".to_owned();
            return Ok(Response::new(ReclaimResponse { lease: None, reason }));
        }
        let lease = Some(state.grant(request.worker, job, request.unit));
        Ok(Response::new(ReclaimResponse { lease, reason: String::new() }))
    }

    async fn heartbeat(&self, request: Request<HeartbeatRequest>) -> Answer<HeartbeatResponse> {
        let request = request.into_inner();
        let mut state = self.0.state();
        state.known(request.worker)?;
        let end = !request.leases.is_empty() && once(&mut state.faults.end_leases);
        state.forget_lost(request.worker, &request.leases);
        let mut ended = Vec::new();
        for LeaseProgress { job_digest, lease, entries, .. } in request.leases {
            let told = state.progress.entry(lease).or_default();
            *told = entries.max(*told);
            let reason = match state.leases.get_mut(&lease) {
                None => Some("it is unknown".to_owned()),
                Some(known) => {
                    if end {
                        known.ended = Some("the test says so".to_owned());
                    }
                    known.ended.clone()
                }
            };
            ended.extend(reason.map(|reason| EndedLease { job_digest, lease, reason }));
        }
        Ok(Response::new(HeartbeatResponse { ended }))
    }

    async fn end_lease(&self, request: Request<EndLeaseRequest>) -> Answer<EndLeaseResponse> {
        let request = request.into_inner();
        let mut state = self.0.state();
        state.known(request.worker)?;
        if state.leases.remove(&request.lease).is_none() {
            return Err(Status::not_found("no such lease"));
        }
        if request.failure.is_empty() {
            state.given_back += 1;
        } else {
            state.failures.push(request.failure);
        }
        Ok(Response::new(EndLeaseResponse {}))
    }

    async fn locate_shards(
        &self,
        request: Request<LocateShardsRequest>,
    ) -> Answer<LocateShardsResponse> {
        let request = request.into_inner();
        let state = self.0.state();
        let job = state.job(&request.job_digest)?;
        let locate = |&unit: &u32| LocatedShard {
            unit,
            digest: state.stored[job].get(&unit).map(|shard| digest_of(shard)),
        };
        let shards = request.units.iter().map(locate).collect();
        Ok(Response::new(LocateShardsResponse { shards }))
    }

    type FetchShardStream = BoxStream<'static, Result<FetchShardChunk, Status>>;

    async fn fetch_shard(
        &self,
        request: Request<FetchShardRequest>,
    ) -> Answer<Self::FetchShardStream> {
        let request = request.into_inner();
        let mut state = self.0.state();
        let job = state.job(&request.job_digest)?;
        state.fetches.push(request.offset);
        let shard = state.stored[job].get(&request.unit).cloned();
        let shard = shard.ok_or_else(|| Status::not_found("it is not done"))?;
        if state.faults.stall_fetch {
            return Ok(Response::new(stream::pending().boxed()));
        }
        let mut bytes = shard[request.offset as usize..].to_vec();
        if once(&mut state.faults.corrupt_fetch) {
            let last = bytes.len() - 1;
            bytes[last / 2] ^= 4;
        }
        let mut chunks: Vec<_> = bytes
            .chunks(CHUNK)
            .map(|data| Ok(FetchShardChunk { digest: None, data: Bytes::copy_from_slice(data) }))
            .collect();
        if let Some(Ok(first)) = chunks.first_mut() {
            first.digest = Some(digest_of(&shard));
        }
        if chunks.len() > 1 && once(&mut state.faults.break_fetch) {
            chunks.truncate(chunks.len() / 2);
            chunks.push(Err(Status::unavailable("the test says so")));
        } else if chunks.len() > 1 && once(&mut state.faults.cut_fetch) {
            let fake = self.0.clone();
            chunks.truncate(chunks.len() / 2);
            let cut = stream::once(async move {
                // What was sent is to arrive first.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                fake.cut();
                Err(Status::unavailable("cut"))
            });
            return Ok(Response::new(stream::iter(chunks).chain(cut).boxed()));
        }
        Ok(Response::new(stream::iter(chunks).boxed()))
    }

    async fn submit_shard(
        &self,
        request: Request<Streaming<SubmitShardChunk>>,
    ) -> Answer<SubmitShardResponse> {
        let mut parts = request.into_inner();
        let Some(Part::Header(header)) = parts.message().await?.and_then(|chunk| chunk.part) else {
            return Err(Status::invalid_argument("the header comes first"));
        };
        if once(&mut self.0.state().faults.cut_submit) {
            self.0.cut();
            return Err(Status::unavailable("cut"));
        }
        let chunks: Vec<SubmitShardChunk> = parts.try_collect().await?;
        let mut shard = Vec::new();
        for chunk in chunks {
            let Some(Part::Data(data)) = chunk.part else {
                return Err(Status::invalid_argument("data comes after the header"));
            };
            assert!(data.len() <= retrotab_proto::CHUNK_BYTES);
            shard.extend_from_slice(&data);
        }
        let mut state = self.0.state();
        state.submits += 1;
        state.known(header.worker)?;
        let Some(lease) = state.leases.get(&header.lease).cloned() else {
            return Err(Status::not_found("no such lease"));
        };
        assert_eq!((lease.worker, lease.unit), (header.worker, header.unit));
        assert_eq!(header.digest, Some(digest_of(&shard)));
        if let Some((left, status)) = &mut state.faults.refuse_submit
            && once(left)
        {
            return Err(status.clone());
        }
        let before = state.stored[lease.job].insert(lease.unit, shard.clone());
        assert!(before.is_none_or(|before| before == shard), "two shards of one unit differ");
        state.leases.get_mut(&header.lease).unwrap().ended = Some("it is completed".to_owned());
        if once(&mut state.faults.cut_after_submit) {
            self.0.cut();
        }
        Ok(Response::new(SubmitShardResponse::default()))
    }

    async fn deregister(&self, request: Request<DeregisterRequest>) -> Answer<DeregisterResponse> {
        let mut state = self.0.state();
        state.known(request.get_ref().worker)?;
        state.workers.remove(&request.get_ref().worker);
        state.deregistrations += 1;
        Ok(Response::new(DeregisterResponse {}))
    }

    async fn list_jobs(&self, _: Request<ListJobsRequest>) -> Answer<ListJobsResponse> {
        let state = self.0.state();
        let summary = |number: usize| {
            let done = state.stored[number].len() == state.jobs[number].units.len();
            let phase = if done { JobPhase::Finished } else { JobPhase::Running };
            JobSummary { phase: phase.into(), ..JobSummary::default() }
        };
        let jobs = (0..state.jobs.len()).map(summary).collect();
        Ok(Response::new(ListJobsResponse { jobs }))
    }

    async fn submit_job(&self, _: Request<SubmitJobRequest>) -> Answer<SubmitJobResponse> {
        Err(Status::unimplemented("workers do not call this"))
    }

    async fn get_job(&self, _: Request<GetJobRequest>) -> Answer<GetJobResponse> {
        Err(Status::unimplemented("workers do not call this"))
    }

    async fn cancel_job(&self, _: Request<CancelJobRequest>) -> Answer<CancelJobResponse> {
        Err(Status::unimplemented("workers do not call this"))
    }

    async fn list_workers(&self, _: Request<ListWorkersRequest>) -> Answer<ListWorkersResponse> {
        Err(Status::unimplemented("workers do not call this"))
    }

    async fn submit_stored(&self, _: Request<SubmitStoredRequest>) -> Answer<SubmitShardResponse> {
        Err(Status::unimplemented("there is no shared store"))
    }

    async fn offer_table(
        &self,
        _: Request<Streaming<OfferTableChunk>>,
    ) -> Answer<OfferTableResponse> {
        Err(Status::unimplemented("workers do not call this"))
    }

    async fn send_table_file(
        &self,
        _: Request<Streaming<SendTableFileChunk>>,
    ) -> Answer<SendTableFileResponse> {
        Err(Status::unimplemented("workers do not call this"))
    }

    type FinishTableStream = BoxStream<'static, Result<FinishTableProgress, Status>>;

    async fn finish_table(
        &self,
        _: Request<FinishTableRequest>,
    ) -> Answer<Self::FinishTableStream> {
        Err(Status::unimplemented("workers do not call this"))
    }
}
