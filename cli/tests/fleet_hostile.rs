//! Workers that are broken, of another version, or hostile: refused, and the table is the
//! undisturbed one.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;

use fleet::Fleet;
use retrotab_coordinator::plan::Plan;
use retrotab_proto::v1::coordinator_client::CoordinatorClient;
use retrotab_proto::v1::submit_shard_chunk::Part;
use retrotab_proto::v1::{
    Grant, LeaseRequest, ReclaimRequest, RegisterRequest, ShardDigest, SubmitHeader,
    SubmitShardChunk, lease_response,
};
use retrotab_proto::{CHUNK_BYTES, PROTOCOL_VERSION};
use retrotab_tablefmt::shard::{UnitId, encode_shard};
use tonic::transport::Channel;
use tonic::{Code, Status};

/// A worker that does what it wants.
struct Hostile {
    client: CoordinatorClient<Channel>,
    worker: u64,
    grant: Grant,
}

impl Hostile {
    async fn start(fleet: &Fleet, name: &str) -> Hostile {
        let mut client = CoordinatorClient::connect(fleet.url()).await.unwrap();
        let worker = register(&mut client, PROTOCOL_VERSION, name).await.unwrap();
        let request = LeaseRequest { worker, known_jobs: Vec::new() };
        let answer = client.lease(request).await.unwrap().into_inner().answer;
        let Some(lease_response::Answer::Grant(grant)) = answer else { panic!("{answer:?}") };
        Hostile { client, worker, grant }
    }

    /// Another one, that says it has the same unit.
    async fn beside(&self, fleet: &Fleet, name: &str) -> Hostile {
        let mut client = CoordinatorClient::connect(fleet.url()).await.unwrap();
        let worker = register(&mut client, PROTOCOL_VERSION, name).await.unwrap();
        let job_digest = self.grant.job_digest.clone();
        let request = ReclaimRequest { worker, job_digest, unit: self.unit() };
        let answer = client.reclaim(request).await.unwrap().into_inner();
        let grant = Grant { lease: answer.lease.unwrap(), ..self.grant.clone() };
        Hostile { client, worker, grant }
    }

    fn unit(&self) -> u32 {
        self.grant.unit.as_ref().unwrap().unit
    }

    /// The right shard of the first unit, the won position.
    fn shard(&self, value: u16) -> Vec<u8> {
        let plan = Plan::of_description(self.grant.job.as_ref().unwrap()).unwrap();
        let unit = UnitId(self.unit());
        assert_eq!(unit, UnitId(0), "only the first unit's value is known here");
        let range = plan.unit(unit).unwrap();
        let raw = value.to_le_bytes();
        encode_shard(plan.digest(), unit, range, plan.layout(), &[&raw]).unwrap()
    }

    fn header(&self, shard: &[u8]) -> SubmitHeader {
        SubmitHeader {
            worker: self.worker,
            job_digest: self.grant.job_digest.clone(),
            lease: self.grant.lease,
            unit: self.unit(),
            digest: Some(ShardDigest {
                blake3: blake3::hash(shard).as_bytes().to_vec(),
                length: shard.len() as u64,
            }),
        }
    }

    /// Sends messages as they are; whose equal shard came first.
    async fn send(&mut self, parts: Vec<Option<Part>>) -> Result<String, Status> {
        let chunks = parts.into_iter().map(|part| SubmitShardChunk { part });
        let chunks = tokio_stream::iter(chunks.collect::<Vec<_>>());
        Ok(self.client.submit_shard(chunks).await?.into_inner().first_worker)
    }

    async fn submit(&mut self, header: SubmitHeader, bytes: &[u8]) -> Result<String, Status> {
        let data = bytes.chunks(CHUNK_BYTES).map(|data| Some(Part::Data(data.to_vec().into())));
        let parts = std::iter::once(Some(Part::Header(header))).chain(data).collect();
        self.send(parts).await
    }

    /// What a submission is refused with.
    async fn refused(&mut self, header: SubmitHeader, bytes: &[u8]) -> (Code, String) {
        let status = self.submit(header, bytes).await.expect_err("it was accepted");
        (status.code(), status.message().to_owned())
    }
}

async fn register(
    client: &mut CoordinatorClient<Channel>,
    protocol_version: u32,
    name: &str,
) -> Result<u64, Status> {
    let (version, name) = ("0.0.0".to_owned(), name.to_owned());
    let request = RegisterRequest { version, protocol_version, name, ..RegisterRequest::default() };
    Ok(client.register(request).await?.into_inner().worker)
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_of_other_versions_are_refused_with_both_versions() {
    let fleet = Fleet::start(60);
    let mut client = CoordinatorClient::connect(fleet.url()).await.unwrap();
    for (version, theirs) in [(0, "names none"), (7, "version 7")] {
        let status = register(&mut client, version, "old").await.unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition);
        let ours = format!("version {PROTOCOL_VERSION} of the protocol");
        let message = status.message();
        assert!(message.contains(&ours) && message.contains(theirs), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_submissions_are_refused_and_change_nothing() {
    let mut fleet = Fleet::start(60);
    fleet.submit();
    let mut hostile = Hostile::start(&fleet, "hostile").await;
    let good = hostile.shard(u16::MAX);
    let header = hostile.header(&good);

    // The wrong unit.
    let other = SubmitHeader { unit: 1, ..header.clone() };
    let (code, message) = hostile.refused(other, &good).await;
    assert!(code == Code::InvalidArgument && message.contains("unit 1"), "{message}");
    // Another worker's lease.
    let other = SubmitHeader { worker: hostile.worker ^ 1, ..header.clone() };
    assert_eq!(hostile.refused(other, &good).await.0, Code::NotFound);
    let other = SubmitHeader { lease: hostile.grant.lease + 1, ..header.clone() };
    assert_eq!(hostile.refused(other, &good).await.0, Code::NotFound);
    // Truncated, and oversized.
    let (code, message) = hostile.refused(header.clone(), &good[..good.len() - 3]).await;
    assert!(code == Code::Aborted && message.contains("send it again"), "{message}");
    let longer = [good.as_slice(), &[0; 10]].concat();
    assert_eq!(hostile.refused(header.clone(), &longer).await.0, Code::ResourceExhausted);
    let huge = vec![0; 8 << 20];
    let (code, message) = hostile.refused(hostile.header(&huge), &huge).await;
    assert!(code == Code::InvalidArgument && message.contains("cannot have"), "{message}");
    // Messages out of order, or without content.
    for parts in [
        vec![],
        vec![None],
        vec![Some(Part::Data(good.clone().into()))],
        vec![Some(Part::Header(header.clone())), Some(Part::Header(header.clone()))],
        vec![Some(Part::Header(header.clone())), None],
    ] {
        let status = hostile.send(parts).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    }
    // Nothing of all this is there.
    assert_eq!(fleet.units_done(), 0);
    // The right shard, twice.
    assert_eq!(hostile.submit(header.clone(), &good).await.unwrap(), "");
    assert_eq!(hostile.submit(header, &good).await.unwrap(), "hostile");
    fleet.start_worker("honest", &[]);
    fleet.finishes_undisturbed();
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_shards_are_refused_and_the_unit_goes_to_another_worker() {
    let mut fleet = Fleet::start(60);
    fleet.submit();
    let mut hostile = Hostile::start(&fleet, "hostile").await;
    let mut damaged = hostile.shard(u16::MAX);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    let header = hostile.header(&damaged);
    let (code, message) = hostile.refused(header, &damaged).await;
    assert!(code == Code::InvalidArgument && message.contains("refused"), "{message}");
    fleet.start_worker("honest", &[]);
    fleet.finishes_undisturbed();
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_values_are_found_out_when_the_unit_is_computed_twice() {
    let fleet = Fleet::start(60);
    fleet.submit();
    let mut liar = Hostile::start(&fleet, "liar").await;
    let mut honest = liar.beside(&fleet, "honest").await;
    let right = honest.shard(u16::MAX);
    honest.submit(honest.header(&right), &right).await.unwrap();
    let wrong = liar.shard(4711);
    let header = liar.header(&wrong);
    let (code, message) = liar.refused(header, &wrong).await;
    assert_eq!(code, Code::FailedPrecondition, "{message}");
    assert!(message.contains("liar") && message.contains("honest"), "{message}");
    let job = fleet.status();
    assert_eq!(job["phase"], "stopped", "{job}");
}
