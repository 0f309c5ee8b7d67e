//! Stores given by URL: shared folders, and what is wrong with a URL.

use bytes::Bytes;
use retrotab_tablefmt::TableError;
use retrotab_tablefmt::objects::{Naming, ShardName, SharedStore, StoreError, StoreOptions};
use retrotab_tablefmt::shard::{JobDigest, UnitId};

const JOB: JobDigest = JobDigest([0xab; 32]);

fn options() -> StoreOptions {
    StoreOptions { environment: Vec::new(), ..StoreOptions::default() }
}

fn name_of(unit: u32, bytes: &[u8]) -> ShardName {
    Naming::ByContent.name(UnitId(unit), blake3::hash(bytes))
}

#[test]
fn shards_in_a_shared_folder() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("file://{}/", dir.path().display());
    let store = SharedStore::open(&url, &options()).unwrap();
    assert_eq!(store.url(), url.trim_end_matches('/'));
    store.probe().unwrap();
    let shards = store.job(JOB);
    assert_eq!(shards.list().unwrap(), []);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    let (one, two) = (name_of(5, b"one"), name_of(5, b"two!"));
    for _ in 0..2 {
        shards.put(&one, Bytes::from_static(b"one")).unwrap();
        shards.put(&two, Bytes::from_static(b"two!")).unwrap();
    }
    let file = dir.path().join(JOB.to_string()).join(two.to_string());
    assert_eq!(std::fs::read(&file).unwrap(), b"two!");
    assert_eq!(shards.path(&two), file);
    assert_eq!(shards.list().unwrap().len(), 2);
    assert_eq!(store.job(JobDigest([1; 32])).list().unwrap(), []);
    assert_eq!(shards.get(&two, 4).unwrap(), b"two!");
    let mut found = [0; 2];
    shards.source(&two, 4).unwrap().read_exact_at(1, &mut found).unwrap();
    assert_eq!(&found, b"wo");
    for length in [3, 5] {
        assert!(shards.get(&two, length).is_err(), "{length} bytes");
    }
    std::fs::write(&file, b"twx!").unwrap();
    assert!(matches!(shards.get(&two, 4), Err(StoreError::Corrupt { .. })));
    shards.remove(&[two, two]).unwrap();
    let gone = shards.get(&two, 4).unwrap_err();
    assert!(matches!(gone, StoreError::Table(TableError::MissingFile { .. })), "{gone:?}");
    assert_eq!(shards.list().unwrap().len(), 1);
}

#[test]
fn a_shared_folder_that_is_not_there_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("mounted");
    let store = SharedStore::open(&format!("file://{}", folder.display()), &options()).unwrap();
    let shards = store.job(JOB);
    let errors = [
        store.probe().unwrap_err(),
        shards.list().unwrap_err(),
        shards.put(&name_of(1, b"x"), Bytes::from_static(b"x")).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::NoPlace { .. }) && error.is_users(), "{error:?}");
        assert!(error.to_string().contains("mount"), "{error}");
    }
    assert!(!folder.exists());
}

#[test]
fn wrong_urls_are_refused_and_told() {
    let cases = [
        ("", "no URL"),
        ("bucket/folder", "no URL"),
        ("/shared/folder", "no URL"),
        ("ftp://bucket/folder", "no such kind"),
        ("http://bucket/folder", "no such kind"),
        ("memory:///folder", "missing"),
        ("s3:///folder", "missing"),
        ("s3://", "missing"),
        ("s3://bucket/folder?x=1", "nothing may follow"),
        ("gs://bucket#x", "nothing may follow"),
        ("s3://user:secret@bucket/folder", "environment"),
        ("file://host/folder", "file:///"),
    ];
    for (url, what) in cases {
        let error = SharedStore::open(url, &options()).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, StoreError::Url { .. }) && error.is_users(), "{url}: {error:?}");
        assert!(text.contains(what) && text.contains("s3://BUCKET"), "{url}: {text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn buckets_of_all_kinds_are_known() {
    let set = |list: &[(&str, &str)]| StoreOptions {
        environment: list.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        ..StoreOptions::default()
    };
    let azure =
        [("AZURE_STORAGE_ACCOUNT_NAME", "someone"), ("AZURE_STORAGE_ACCOUNT_KEY", "c2VjcmV0")];
    for (url, settings) in [("s3://bucket/folder", &[][..]), ("az://container/folder", &azure)] {
        let store = SharedStore::open(url, &set(settings)).unwrap();
        let path = store.job(JOB).path(&name_of(1, b"x")).display().to_string();
        assert!(path.starts_with(&format!("{url}/{JOB}/00000001.")), "{path}");
        let shown = format!("{:?} {store:?}", set(settings));
        assert!(!shown.contains("c2VjcmV0"), "{shown}");
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("account.json");
    std::fs::write(&file, "no json").unwrap();
    let path = file.display().to_string();
    let error = SharedStore::open("gs://bucket", &set(&[("GOOGLE_SERVICE_ACCOUNT", &path)]));
    assert!(matches!(error, Err(StoreError::Url { .. })), "{error:?}");
}
