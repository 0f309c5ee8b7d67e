//! Uploads that are silent, and more of them and of downloads than may be on the way at a time.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod home;
mod made_up;
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
#[path = "../../tablefmt/tests/random_table/mod.rs"]
mod random_table;

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use home::Home;
use made_up::{shard_of, small_plan};
use own_address::own_address;
use random_table::FILES;
use retrotab_coordinator::daemon::Daemon;
use retrotab_coordinator::ids::{LeaseId, UnitId};
use retrotab_coordinator::plan::{Plan, UnitSize};
use retrotab_coordinator::publishing::{Offer, Offered, PublicationId};
use retrotab_coordinator::service::{Limits, Service};
use retrotab_proto::PROTOCOL_VERSION;
use retrotab_proto::v1::coordinator_client::CoordinatorClient;
use retrotab_proto::v1::offer_table_chunk::Part as OfferPart;
use retrotab_proto::v1::send_table_file_chunk::Part as FilePart;
use retrotab_proto::v1::submit_shard_chunk::Part as ShardPart;
use retrotab_proto::v1::{
    FetchShardChunk, FetchShardRequest, OfferTableChunk, OfferTableHeader, SendTableFileChunk,
    SendTableFileHeader, SubmitHeader, SubmitShardChunk, WantedFile,
};
use retrotab_tablefmt::hands::{Game, HandsSpec};
use retrotab_tablefmt::publish::Existing;
use retrotab_tablefmt::shard::encode_shard;
use retrotab_tablefmt::spec::TableSpec;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Status, Streaming};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(240);
/// How long it is watched that nothing happens. A slow machine may hide that something would
/// have, and makes nothing happen.
const A_WHILE: Duration = Duration::from_millis(500);

/// A daemon with a job, and its service on loopback.
struct Served {
    home: Home,
    daemon: Arc<Daemon>,
    plan: Plan,
    url: String,
}

impl Served {
    async fn start(plan: Plan, limits: Limits) -> Served {
        let home = Home::new();
        let daemon = Arc::new(home.open());
        daemon.submit(&home::request(&plan, "job")).unwrap();
        let service = Service::new(Arc::clone(&daemon), limits).into_server();
        let address = own_address();
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
        Served { home, daemon, plan, url: format!("http://{address}") }
    }

    /// A caller with a connection of its own.
    fn client(&self) -> CoordinatorClient<Channel> {
        let endpoint = Endpoint::from_shared(self.url.clone()).unwrap();
        // Little is on the way to it that it has not asked for.
        CoordinatorClient::new(endpoint.initial_stream_window_size(1 << 16).connect_lazy())
    }

    /// A unit of a new worker.
    fn lease(&self) -> (u64, LeaseId, UnitId) {
        let worker = home::register(&self.daemon, "worker");
        let grant = home::lease(&self.daemon, worker);
        (worker, grant.lease, grant.unit)
    }

    /// A shard that may be submitted, and its header.
    fn shard(&self) -> (SubmitHeader, Vec<u8>) {
        let (worker, lease, unit) = self.lease();
        let shard = shard_of(&self.plan, unit, 0);
        (home::header(&self.plan, worker, lease, unit, &shard), shard)
    }

    fn units_done(&self) -> u32 {
        self.daemon.summaries()[0].units_done
    }

    /// Offers a table; the header for its first data file, and that file.
    fn offer(&self) -> (SendTableFileHeader, Vec<u8>) {
        let table = self.home.dir.path().join("table");
        random_table::holdem(&table, 1).unwrap();
        let manifest = fs::read(table.join("manifest.json")).unwrap();
        let (name, existing) = ("t".to_owned(), Existing::Keep);
        let offer = Offer { name, existing, urls: Vec::new(), manifest };
        let offered = self.daemon.publishing().offer(offer).unwrap();
        let Offered::Incoming { publication: PublicationId(publication), .. } = offered else {
            panic!("it is published already");
        };
        let header = SendTableFileHeader { publication, wanted: Some(WantedFile::default()) };
        (header, fs::read(table.join(FILES[0])).unwrap())
    }

    /// Bytes of that file that have come.
    fn arrived(&self) -> u64 {
        let part = self.home.dir.path().join("incoming/t").join(format!("{}.part", FILES[0]));
        fs::metadata(part).map_or(0, |part| part.len())
    }
}

fn shard_part(part: ShardPart) -> SubmitShardChunk {
    SubmitShardChunk { part: Some(part) }
}

fn file_part(part: FilePart) -> SendTableFileChunk {
    SendTableFileChunk { part: Some(part) }
}

/// Waits for a condition.
async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// What an upload is told that sends one message and then neither more nor an end.
async fn silent<M, T>(
    message: M,
    call: impl AsyncFnOnce(ReceiverStream<M>) -> Result<T, Status>,
) -> Status {
    let (sender, stream) = mpsc::channel(1);
    sender.send(message).await.ok().unwrap();
    let told = tokio::time::timeout(PATIENCE, call(ReceiverStream::new(stream))).await;
    drop(sender);
    told.expect("it was told nothing").err().expect("it was taken")
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_uploads_are_refused() {
    let limits = Limits { upload_silence: Duration::from_secs(1), ..Limits::default() };
    let served = Served::start(small_plan(), limits).await;
    let client = served.client();
    let shard = shard_part(ShardPart::Header(served.shard().0));
    let header = OfferTableHeader {
        protocol_version: PROTOCOL_VERSION,
        name: "t".to_owned(),
        manifest_bytes: 100,
        ..OfferTableHeader::default()
    };
    let offer = OfferTableChunk { part: Some(OfferPart::Header(header)) };
    let file = file_part(FilePart::Header(served.offer().0));
    let told = [
        silent(shard, async |stream| client.clone().submit_shard(stream).await).await,
        silent(offer, async |stream| client.clone().offer_table(stream).await).await,
        silent(file, async |stream| client.clone().send_table_file(stream).await).await,
    ];
    for status in told {
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status:?}");
        assert_eq!(status.message(), "nothing came for 1 s; send it again");
    }
    assert_eq!(served.units_done(), 0);
}

/// A data file that is not there whole takes all the room; the shard behind it waits.
#[tokio::test(flavor = "multi_thread")]
async fn uploads_wait_for_room() {
    let limits = Limits { upload_bytes: 1 << 20, upload_silence: PATIENCE, ..Limits::default() };
    let served = Served::start(small_plan(), limits).await;
    let (header, file) = served.offer();
    let (sender, stream) = mpsc::channel(1);
    let mut client = served.client();
    let call = async move { client.send_table_file(ReceiverStream::new(stream)).await };
    let first = tokio::spawn(call);
    let (some, others) = file.split_at(1000);
    let data = |bytes: &[u8]| file_part(FilePart::Data(bytes.to_vec().into()));
    sender.send(file_part(FilePart::Header(header))).await.unwrap();
    sender.send(data(some)).await.unwrap();
    until("some of the file has come", || served.arrived() == 1000).await;

    let (header, shard) = served.shard();
    let parts = [ShardPart::Header(header), ShardPart::Data(shard.into())].map(shard_part);
    let mut client = served.client();
    let call = async move { client.submit_shard(tokio_stream::iter(parts)).await };
    let second = tokio::spawn(call);
    tokio::time::sleep(A_WHILE).await;
    assert!(!second.is_finished() && served.units_done() == 0);
    sender.send(data(others)).await.unwrap();
    drop(sender);
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    assert_eq!(served.units_done(), 1);
}

/// A unit of 9 bytes for each of about a million cells, which nothing has to come before.
fn large_plan() -> Plan {
    let spec = TableSpec::Hands(HandsSpec { game: Game::Omaha });
    Plan::new(spec, UnitSize::Automatic).unwrap()
}

/// Does a unit with values that do not get smaller by compression.
fn store_large_shard(served: &Served) -> (UnitId, Vec<u8>) {
    let (worker, lease, unit) = served.lease();
    let (layout, range) = (served.plan.layout(), served.plan.unit(unit).unwrap());
    let mut random = fastrand::Rng::with_seed(1);
    let raw = layout.columns.iter().map(|column| {
        let mut raw = vec![0; (range.entries * column.entry.bytes()) as usize];
        random.fill(&mut raw);
        raw
    });
    let raw: Vec<Vec<u8>> = raw.collect();
    let columns: Vec<&[u8]> = raw.iter().map(Vec::as_slice).collect();
    let shard = encode_shard(served.plan.digest(), unit, range, layout, &columns).unwrap();
    let header = home::header(&served.plan, worker, lease, unit, &shard);
    let upload = served.daemon.begin_submit(&header).unwrap();
    served.daemon.finish_submit(upload, shard.clone()).unwrap();
    (unit, shard)
}

async fn all(mut stream: Streaming<FetchShardChunk>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.message().await.unwrap() {
        bytes.extend_from_slice(&chunk.data);
    }
    bytes
}

/// One that its caller does not read waits with what does not fit on the way; the next one
/// waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn downloads_wait_for_their_turn() {
    let limits = Limits { downloads: 1, ..Limits::default() };
    let served = Served::start(large_plan(), limits).await;
    let (unit, shard) = store_large_shard(&served);
    // Chunks that are read ahead, and windows and buffers of the connection.
    assert!(shard.len() > 8 << 20, "{} bytes could all be on the way", shard.len());
    let fetch = || {
        let (mut client, job_digest) = (served.client(), served.plan.digest().0.to_vec());
        let request = FetchShardRequest { job_digest, unit: unit.0, offset: 0, length: 0 };
        async move { client.fetch_shard(request).await.unwrap().into_inner() }
    };
    let first = fetch().await;
    let second = tokio::spawn(fetch());
    tokio::time::sleep(A_WHILE).await;
    assert!(!second.is_finished());
    drop(first);
    let second = second.await.unwrap();
    let third = tokio::spawn(fetch());
    assert!(all(second).await == shard);
    // One that was read to its end makes room as well.
    assert!(all(third.await.unwrap()).await == shard);
}
