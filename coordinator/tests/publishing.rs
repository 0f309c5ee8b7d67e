//! Tables that arrive at a coordinator: what is kept, and what is refused.

#[allow(dead_code, reason = "each test file uses its part of it")]
#[path = "../../tablefmt/tests/random_table/mod.rs"]
mod random_table;

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use random_table::{FILES, names};
use retrotab_coordinator::daemon::{Daemon, DaemonOptions};
use retrotab_coordinator::publishing::{
    Offer, Offered, PublicationId, Publishing, PublishingError, Wanted,
};
use retrotab_coordinator::service::{Limits, Service};
use retrotab_proto::v1::coordinator_client::CoordinatorClient;
use retrotab_proto::v1::offer_table_chunk::Part as OfferPart;
use retrotab_proto::v1::send_table_file_chunk::Part as FilePart;
use retrotab_proto::v1::{
    FinishTableRequest, OfferTableChunk, OfferTableHeader, SendTableFileChunk, SendTableFileHeader,
    WantedFile,
};
use retrotab_proto::{CHUNK_BYTES, PROTOCOL_VERSION};
use retrotab_tablefmt::publish::{Existing, PublishError};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Status};

/// A table of three data files, and a data folder.
struct Home {
    dir: tempfile::TempDir,
    table: PathBuf,
}

fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("table");
    random_table::holdem(&table, 1).unwrap();
    Home { dir, table }
}

impl Home {
    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn open(&self) -> Publishing {
        fs::create_dir_all(self.data()).unwrap();
        Publishing::open(&self.data(), None).unwrap()
    }

    fn offer(&self) -> Offer {
        let manifest = fs::read(self.table.join("manifest.json")).unwrap();
        Offer { name: "t".to_owned(), existing: Existing::Keep, urls: Vec::new(), manifest }
    }

    fn file(&self, number: u32) -> Vec<u8> {
        fs::read(self.table.join(FILES[number as usize])).unwrap()
    }

    /// Sends what is wanted until all is there.
    fn send_all(&self, publishing: &Publishing) -> PublicationId {
        let Offered::Incoming { publication, mut wanted } = publishing.offer(self.offer()).unwrap()
        else {
            panic!("it is published already");
        };
        while let Some(part) = wanted {
            let mut file = publishing.receive(publication, part).unwrap();
            file.append(&self.file(part.file)[part.offset as usize..]).unwrap();
            wanted = file.finish().unwrap();
        }
        publication
    }

    fn incoming(&self) -> Vec<String> {
        names(&self.data().join("incoming/t"))
    }

    fn is_published(&self) -> bool {
        self.data().join("published/t/manifest.json").exists()
    }
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn incoming(offered: Offered) -> (PublicationId, Option<Wanted>) {
    match offered {
        Offered::Incoming { publication, wanted } => (publication, wanted),
        Offered::Published => panic!("it is published already"),
    }
}

#[test]
fn a_file_has_its_name_when_it_was_checked_and_the_table_when_all_was() {
    let home = home();
    let publishing = home.open();
    let (publication, wanted) = incoming(publishing.offer(home.offer()).unwrap());
    let first = Wanted { file: 0, offset: 0 };
    assert_eq!(wanted, Some(first));
    let bytes = home.file(0);
    let mut file = publishing.receive(publication, first).unwrap();
    file.append(&bytes[..100]).unwrap();
    assert_eq!(file.missing(), bytes.len() as u64 - 100);
    assert!(matches!(publishing.receive(publication, first), Err(PublishingError::Busy(_))));
    // Too few bytes: they stay.
    assert!(matches!(file.finish(), Err(PublishingError::NotWanted(_))));
    assert_eq!(home.incoming(), ["offer.json", "win.000.u32.zst.part"]);
    // Others than those that are wanted.
    let part = Wanted { file: 0, offset: 100 };
    for sent in [first, Wanted { file: 1, offset: 0 }, Wanted { file: 9, offset: 0 }] {
        let refused = publishing.receive(publication, sent).map(drop).unwrap_err();
        assert!(refused.to_string().contains("win.000.u32.zst from byte 100"), "{refused}");
    }
    // After a restart it goes on there.
    drop(publishing);
    let publishing = home.open();
    let unknown = publishing.receive(publication, part).map(drop);
    assert!(matches!(unknown, Err(PublishingError::Unknown(_))));
    let (publication, wanted) = incoming(publishing.offer(home.offer()).unwrap());
    assert_eq!(wanted, Some(part));
    let mut file = publishing.receive(publication, part).unwrap();
    assert!(matches!(file.append(&bytes), Err(PublishingError::NotWanted(_))), "too many");
    file.append(&bytes[100..]).unwrap();
    assert_eq!(file.finish().unwrap(), Some(Wanted { file: 1, offset: 0 }));
    assert_eq!(home.incoming(), ["offer.json", "win.000.u32.zst"]);
    let early = publishing.finish(publication, &mut go_on);
    assert!(matches!(early, Err(PublishingError::NotWanted(_))));
    let publication = home.send_all(&publishing);
    assert!(!home.is_published() && publishing.handout().find("t").is_none());
    publishing.finish(publication, &mut go_on).unwrap();
    assert!(home.is_published() && publishing.handout().find("t").is_some());
    assert_eq!(publishing.offer(home.offer()).unwrap(), Offered::Published);
}

#[test]
fn wrong_bytes_are_thrown_away_and_named() {
    let home = home();
    let publishing = home.open();
    let (publication, wanted) = incoming(publishing.offer(home.offer()).unwrap());
    let mut bytes = home.file(0);
    bytes[50] ^= 1;
    let mut file = publishing.receive(publication, wanted.unwrap()).unwrap();
    file.append(&bytes).unwrap();
    let error = file.finish().unwrap_err();
    assert!(matches!(&error, PublishingError::Bad { file, .. } if file == FILES[0]), "{error}");
    assert_eq!(home.incoming(), ["offer.json"]);
    // Damaged where it lay: found by the last check, and wanted again.
    let publication = home.send_all(&publishing);
    let path = home.data().join("incoming/t").join(FILES[1]);
    let mut bytes = fs::read(&path).unwrap();
    bytes[50] ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = publishing.finish(publication, &mut go_on).unwrap_err();
    assert!(matches!(&error, PublishingError::Bad { file, .. } if file == FILES[1]), "{error}");
    assert!(!home.is_published());
    let publication = home.send_all(&publishing);
    publishing.finish(publication, &mut go_on).unwrap();
    assert!(home.is_published());
}

#[test]
fn a_manifest_that_lies_about_the_values_damns_the_table() {
    let home = home();
    let publishing = home.open();
    let path = home.table.join("manifest.json");
    let mut manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["identity"] = "0".repeat(64).into();
    fs::write(&path, manifest.to_string()).unwrap();
    let publication = home.send_all(&publishing);
    let error = publishing.finish(publication, &mut go_on).unwrap_err();
    assert!(matches!(error, PublishingError::Manifest(_)), "{error}");
    assert!(error.to_string().contains("identity"), "{error}");
    assert!(home.incoming().is_empty() && !home.is_published());
    // One that names files elsewhere is not even listened to.
    manifest["columns"][0]["files"][0]["name"] = "../x".into();
    let offer = Offer { manifest: manifest.to_string().into_bytes(), ..home.offer() };
    assert!(matches!(publishing.offer(offer), Err(PublishingError::Manifest(_))));
    for name in ["", "..", "a/b", ".x", "_x"] {
        let offer = Offer { name: name.to_owned(), ..home.offer() };
        assert!(matches!(publishing.offer(offer), Err(PublishingError::Name(_))), "{name}");
    }
}

#[test]
fn of_two_publishers_the_later_one_goes_on() {
    let home = home();
    let publishing = home.open();
    let (early, wanted) = incoming(publishing.offer(home.offer()).unwrap());
    let bytes = home.file(0);
    let mut file = publishing.receive(early, wanted.unwrap()).unwrap();
    file.append(&bytes[..10]).unwrap();
    let (late, wanted) = incoming(publishing.offer(home.offer()).unwrap());
    assert_eq!(wanted, Some(Wanted { file: 0, offset: 10 }));
    assert!(matches!(file.append(&bytes[10..20]), Err(PublishingError::Superseded(_))));
    let mut file = publishing.receive(late, wanted.unwrap()).unwrap();
    file.append(&bytes[10..]).unwrap();
    file.finish().unwrap();
    assert!(matches!(publishing.finish(early, &mut go_on), Err(PublishingError::Unknown(_))));
    // One that is being checked is superseded, too.
    let publication = home.send_all(&publishing);
    let mut again = None;
    let ended = publishing.finish(publication, &mut |_| {
        again.get_or_insert_with(|| publishing.offer(home.offer()).unwrap());
        ControlFlow::Continue(())
    });
    assert!(matches!(ended, Err(PublishingError::Superseded(_))), "{ended:?}");
    let (late, wanted) = incoming(again.unwrap());
    assert_eq!(wanted, None);
    // Nobody listens any more: the check ends.
    let ended = publishing.finish(late, &mut |_| ControlFlow::Break(()));
    assert!(matches!(ended, Err(PublishingError::Table(_))) && !home.is_published());
    publishing.finish(late, &mut go_on).unwrap();
    assert!(home.is_published());
}

#[test]
fn a_published_table_that_was_damaged_can_be_published_again() {
    let home = home();
    let publishing = home.open();
    publishing.finish(home.send_all(&publishing), &mut go_on).unwrap();
    drop(publishing);
    fs::remove_file(home.data().join("published/t").join(FILES[2])).unwrap();
    let publishing = home.open();
    assert!(publishing.handout().find("t").is_none(), "it is left alone");
    publishing.finish(home.send_all(&publishing), &mut go_on).unwrap();
    assert!(publishing.handout().find("t").is_some());
    // Something else is in the way: only replaced on request.
    drop(publishing);
    fs::write(home.data().join("published/t/manifest.json"), "{}").unwrap();
    let publishing = home.open();
    let refused = publishing.offer(home.offer()).unwrap_err();
    let is_different = |error: &PublishingError| {
        matches!(error, PublishingError::Refused(PublishError::Different { .. }))
    };
    assert!(is_different(&refused), "{refused}");
}

#[test]
fn only_so_many_tables_are_on_their_way() {
    let home = home();
    let publishing = home.open();
    let offer = |number: usize| {
        let offer = Offer { name: format!("t{number}"), ..home.offer() };
        publishing.offer(offer)
    };
    (0..64).for_each(|number| assert!(offer(number).is_ok()));
    assert!(matches!(offer(64), Err(PublishingError::TooMany(64))));
    assert!(offer(5).is_ok(), "one that is on its way goes on");
}

/// A service on loopback, and a caller that does what it wants.
async fn hostile(home: &Home) -> CoordinatorClient<Channel> {
    let daemon = Arc::new(Daemon::open(&home.data(), DaemonOptions::default()).unwrap());
    let service = Service::new(daemon, Limits::default()).into_server();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let incoming = tonic::transport::server::TcpIncoming::from(listener);
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap();
    CoordinatorClient::new(channel.connect_lazy())
}

async fn offer(
    client: &mut CoordinatorClient<Channel>,
    header: OfferTableHeader,
    chunks: Vec<Vec<u8>>,
) -> Result<u64, Status> {
    let chunks = chunks.into_iter().map(|data| OfferPart::Data(data.into()));
    let parts: Vec<_> = std::iter::once(OfferPart::Header(header)).chain(chunks).collect();
    let parts = parts.into_iter().map(|part| OfferTableChunk { part: Some(part) });
    Ok(client.offer_table(tokio_stream::iter(parts)).await?.into_inner().publication)
}

async fn send(
    client: &mut CoordinatorClient<Channel>,
    publication: u64,
    chunks: Vec<Vec<u8>>,
) -> Result<(), Status> {
    let header = SendTableFileHeader { publication, wanted: Some(WantedFile::default()) };
    let chunks = chunks.into_iter().map(|data| FilePart::Data(data.into()));
    let parts: Vec<_> = std::iter::once(FilePart::Header(header)).chain(chunks).collect();
    let parts = parts.into_iter().map(|part| SendTableFileChunk { part: Some(part) });
    client.send_table_file(tokio_stream::iter(parts)).await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_calls_are_refused_with_their_codes() {
    let home = home();
    let mut client = hostile(&home).await;
    let manifest = fs::read(home.table.join("manifest.json")).unwrap();
    let good = OfferTableHeader {
        protocol_version: PROTOCOL_VERSION,
        name: "t".to_owned(),
        manifest_bytes: manifest.len() as u64,
        ..OfferTableHeader::default()
    };
    let whole = || vec![manifest.clone()];
    for (header, chunks, code) in [
        (
            OfferTableHeader { protocol_version: 0, ..good.clone() },
            whole(),
            Code::FailedPrecondition,
        ),
        (
            OfferTableHeader { name: "../x".to_owned(), ..good.clone() },
            whole(),
            Code::InvalidArgument,
        ),
        (
            OfferTableHeader { manifest_bytes: 1 << 40, ..good.clone() },
            whole(),
            Code::InvalidArgument,
        ),
        (OfferTableHeader { manifest_bytes: 9, ..good.clone() }, whole(), Code::ResourceExhausted),
        (good.clone(), vec![manifest[..50].to_vec()], Code::InvalidArgument),
        (
            OfferTableHeader { manifest_bytes: 2 << 20, ..good.clone() },
            vec![vec![b' '; CHUNK_BYTES + 1]],
            Code::ResourceExhausted,
        ),
    ] {
        let status = offer(&mut client, header.clone(), chunks).await.unwrap_err();
        assert_eq!(status.code(), code, "{header:?}: {status:?}");
    }
    assert!(home.incoming().is_empty());
    let publication = offer(&mut client, good, whole()).await.unwrap();
    let file = home.file(0);
    for (publication, chunks, code) in [
        (publication ^ 1, vec![file.clone()], Code::NotFound),
        (publication, vec![[&file[..], &[0]].concat()], Code::ResourceExhausted),
        (publication, vec![vec![0; file.len()]], Code::DataLoss),
    ] {
        let status = send(&mut client, publication, chunks).await.unwrap_err();
        assert_eq!(status.code(), code, "{status:?}");
    }
    let status = client.send_table_file(tokio_stream::empty()).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let mut finished =
        client.finish_table(FinishTableRequest { publication }).await.unwrap().into_inner();
    assert_eq!(finished.message().await.unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(home.incoming(), ["offer.json"]);
    send(&mut client, publication, vec![file]).await.unwrap();
    assert_eq!(home.incoming(), ["offer.json", FILES[0]]);
}
