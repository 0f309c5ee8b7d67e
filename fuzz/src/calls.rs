//! Calls over gRPC as they come from the network.
//!
//! An input is a method, a way, and bytes. The bytes are a message; or the body of the request,
//! which may hold several messages or parts of one; or edits of a sound message, three bytes
//! each: place and new value.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use prost::Message;
use retrotab_coordinator::clock::ManualClock;
use retrotab_coordinator::daemon::{Daemon, DaemonOptions, LeaseReply};
use retrotab_coordinator::ids::ShardDigest;
use retrotab_coordinator::publishing::{
    Offer, Offered, PublicationId, Publishing, PublishingError, Wanted,
};
use retrotab_coordinator::service::{Limits, Service};
use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::{self, submit_shard_chunk::Part};
use retrotab_tablefmt::publish::Existing;
use tokio::runtime::Runtime;
use tonic::Code;
use tonic::body::Body;
use tower::ServiceExt;

use super::shards::{plan, shard};
use super::tables::TINY_TABLE;

/// All methods, and one that is none.
pub const METHODS: [&str; 19] = [
    "SubmitJob",
    "ListJobs",
    "GetJob",
    "CancelJob",
    "ListWorkers",
    "Register",
    "Lease",
    "Reclaim",
    "Heartbeat",
    "EndLease",
    "LocateShards",
    "FetchShard",
    "SubmitShard",
    "SubmitStored",
    "Deregister",
    "OfferTable",
    "SendTableFile",
    "FinishTable",
    "None",
];

/// What the bytes of an input are.
pub const WAYS: u8 = 3;
const MESSAGE: u8 = 0;
const BODY: u8 = 1;

/// The only data file of a table, from its beginning.
const DATA: Wanted = Wanted { file: 0, offset: 0 };

/// A coordinator with a job, a worker that has a lease, and two tables that are being published.
pub struct World {
    runtime: Runtime,
    daemon: Arc<Daemon>,
    service: Service,
    job: v1::SubmitJobRequest,
    header: v1::SubmitHeader,
    shard: Vec<u8>,
    /// Nothing has come of it.
    offered: PublicationId,
    /// All has come; it is not checked.
    whole: PublicationId,
    _folder: tempfile::TempDir,
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl World {
    pub fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::default());
        let options = DaemonOptions { clock, ..DaemonOptions::default() };
        let daemon = Arc::new(Daemon::open(folder.path(), options).unwrap());
        let plan = plan();
        let job = v1::SubmitJobRequest {
            protocol_version: PROTOCOL_VERSION,
            job: Some(plan.description()),
            name: "fuzzed".to_owned(),
        };
        daemon.submit(&job).unwrap();
        let worker = daemon.register(&register(), None).unwrap().worker;
        let LeaseReply::Granted(_, grant) = daemon.lease(worker).unwrap() else {
            panic!("there is a unit for the first worker");
        };
        let shard = shard(&plan, grant.unit);
        let ShardDigest { blake3, length } = ShardDigest::of(&shard);
        let header = v1::SubmitHeader {
            worker,
            job_digest: plan.digest().0.to_vec(),
            lease: grant.lease.0,
            unit: grant.unit.0,
            digest: Some(v1::ShardDigest { blake3: blake3.as_bytes().to_vec(), length }),
        };
        let runtime = Runtime::new().unwrap();
        let service = Service::new(Arc::clone(&daemon), Limits::default());
        let publishing = daemon.publishing();
        let (offered, whole) = (offer(publishing, "offered"), offer(publishing, "whole"));
        let mut file = publishing.receive(whole, DATA).unwrap();
        file.append(&TINY_TABLE.1).unwrap();
        file.finish().unwrap();
        World { runtime, daemon, service, job, header, shard, offered, whole, _folder: folder }
    }

    /// Whether there is still all that sound calls are about: whoever cancels the job, gives the
    /// lease back or sends a file ends this world.
    fn stands(&self) -> bool {
        let next = |publication| self.daemon.publishing().receive(publication, DATA).map(drop);
        self.daemon.begin_submit(&self.header).is_ok()
            && next(self.offered).is_ok()
            && matches!(next(self.whole), Err(PublishingError::NotWanted(_)))
    }

    /// Makes the call that an input describes; says how it ended, if the input describes one.
    ///
    /// # Panics
    /// If it is treated wrongly.
    pub fn call(&mut self, input: &[u8]) -> Option<Code> {
        let [method, way, bytes @ ..] = input else { return None };
        let method = METHODS[usize::from(*method) % METHODS.len()];
        let body = match way % WAYS {
            MESSAGE => framed(bytes),
            BODY => bytes.to_vec(),
            _ => edited(self.sound_messages(method), bytes),
        };
        let code = self.answer(method, body);
        if !self.stands() {
            *self = World::new();
        }
        Some(code)
    }

    fn answer(&self, method: &str, body: Vec<u8>) -> Code {
        let request = http::Request::post(format!("/retrotab.v1.Coordinator/{method}"))
            .header("content-type", "application/grpc")
            .body(Body::new(Full::new(Bytes::from(body))))
            .unwrap();
        let server = self.service.clone().into_server();
        let headers = self.runtime.block_on(async {
            let answer = server.oneshot(request).await.unwrap();
            let (head, body) = answer.into_parts();
            let collected = body.collect().await.unwrap();
            let mut all = head.headers;
            all.extend(collected.trailers().cloned().unwrap_or_default());
            all
        });
        let status = tonic::Status::from_header_map(&headers).expect("every call has a status");
        assert!(!status.message().contains("bug"), "{method}: {status}");
        status.code()
    }

    /// What a caller who knows everything would send.
    fn sound_messages(&self, method: &str) -> Vec<Vec<u8>> {
        let (worker, lease, unit) = (self.header.worker, self.header.lease, self.header.unit);
        let job_digest = self.header.job_digest.clone();
        let progress =
            v1::LeaseProgress { job_digest: job_digest.clone(), lease, entries: 5, fetched: 0 };
        let message = match method {
            "SubmitJob" => self.job.encode_to_vec(),
            "GetJob" => v1::GetJobRequest { job_digest }.encode_to_vec(),
            "CancelJob" => v1::CancelJobRequest { job_digest }.encode_to_vec(),
            "Register" => register().encode_to_vec(),
            "Lease" => v1::LeaseRequest { worker, known_jobs: vec![job_digest] }.encode_to_vec(),
            "Reclaim" => v1::ReclaimRequest { worker, job_digest, unit }.encode_to_vec(),
            "Heartbeat" => {
                let doing = "solving".to_owned();
                v1::HeartbeatRequest { worker, leases: vec![progress], doing }.encode_to_vec()
            }
            "EndLease" => {
                let failure = "no memory".to_owned();
                v1::EndLeaseRequest { worker, job_digest, lease, failure }.encode_to_vec()
            }
            "LocateShards" => {
                v1::LocateShardsRequest { job_digest, units: vec![0, unit, 7] }.encode_to_vec()
            }
            "FetchShard" => {
                let (offset, length) = (3, 1000);
                v1::FetchShardRequest { job_digest, unit, offset, length }.encode_to_vec()
            }
            "SubmitShard" => return self.upload(),
            "SubmitStored" => {
                v1::SubmitStoredRequest { header: Some(self.header.clone()) }.encode_to_vec()
            }
            "Deregister" => v1::DeregisterRequest { worker }.encode_to_vec(),
            "OfferTable" => return table_offer(),
            "SendTableFile" => return self.table_file(),
            "FinishTable" => v1::FinishTableRequest { publication: self.whole.0 }.encode_to_vec(),
            _ => Vec::new(),
        };
        vec![message]
    }

    fn upload(&self) -> Vec<Vec<u8>> {
        let (one, two) = self.shard.split_at(self.shard.len() / 2);
        let data = |part: &[u8]| Part::Data(Bytes::copy_from_slice(part));
        [Part::Header(self.header.clone()), data(one), data(two)]
            .map(|part| v1::SubmitShardChunk { part: Some(part) }.encode_to_vec())
            .to_vec()
    }

    fn table_file(&self) -> Vec<Vec<u8>> {
        use v1::send_table_file_chunk::Part;
        let wanted = Some(v1::WantedFile { file: DATA.file, offset: DATA.offset });
        let header = v1::SendTableFileHeader { publication: self.offered.0, wanted };
        let (one, two) = TINY_TABLE.1.split_at(TINY_TABLE.1.len() / 2);
        let data = |part: &'static [u8]| Part::Data(Bytes::from_static(part));
        [Part::Header(header), data(one), data(two)]
            .map(|part| v1::SendTableFileChunk { part: Some(part) }.encode_to_vec())
            .to_vec()
    }
}

/// Offers the tiny table under a name of which nothing has come.
fn offer(publishing: &Publishing, name: &str) -> PublicationId {
    let (name, manifest) = (name.to_owned(), TINY_TABLE.0.clone());
    let offer = Offer { name, existing: Existing::Keep, urls: Vec::new(), manifest };
    match publishing.offer(offer).unwrap() {
        Offered::Incoming { publication, wanted: Some(DATA) } => publication,
        other => panic!("{other:?}"),
    }
}

/// The offer of a third table.
fn table_offer() -> Vec<Vec<u8>> {
    use v1::offer_table_chunk::Part;
    let manifest = Bytes::from_static(&TINY_TABLE.0);
    let header = v1::OfferTableHeader {
        protocol_version: PROTOCOL_VERSION,
        name: "fuzzed".to_owned(),
        replace: false,
        urls: vec!["https://host/fuzzed".to_owned()],
        manifest_bytes: manifest.len() as u64,
    };
    [Part::Header(header), Part::Data(manifest)]
        .map(|part| v1::OfferTableChunk { part: Some(part) }.encode_to_vec())
        .to_vec()
}

fn register() -> v1::RegisterRequest {
    v1::RegisterRequest {
        version: "0.1.0".to_owned(),
        protocol_version: PROTOCOL_VERSION,
        threads: 2,
        memory: 1 << 30,
        host: "host".to_owned(),
        name: "worker".to_owned(),
    }
}

/// A message as it stands in the body of a request: not compressed, its length, its bytes.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[0][..], &length, message].concat()
}

/// Messages with some bytes changed, in a body.
fn edited(messages: Vec<Vec<u8>>, edits: &[u8]) -> Vec<u8> {
    let mut body: Vec<u8> = messages.iter().flat_map(|message| framed(message)).collect();
    for edit in edits.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % body.len();
        body[place] = edit[2];
    }
    body
}
