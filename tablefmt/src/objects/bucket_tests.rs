//! Shards in a bucket that is in memory: what does not depend on whose bucket it is.

use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStoreExt, PutPayload};
use proptest::prelude::*;

use super::*;
use crate::shard::UnitId;

const JOB: JobDigest = JobDigest([7; 32]);

fn bucket() -> Arc<Bucket> {
    let options = StoreOptions { environment: Vec::new(), retries: 0, kept: 8 << 20 };
    let (client, prefix) = (Box::new(InMemory::new()), ObjectPath::from("some/folder"));
    Arc::new(Bucket::new("memory:///some/folder/", client, prefix, &options).unwrap())
}

fn shards(bucket: &Arc<Bucket>) -> ObjectShards {
    let backend = Box::new(BucketShards::new(bucket.clone(), JOB));
    ObjectShards { backend, naming: Naming::ByContent }
}

fn name_of(unit: u32, bytes: &[u8]) -> ShardName {
    Naming::ByContent.name(UnitId(unit), blake3::hash(bytes))
}

fn noise(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

/// Puts bytes under any name in the job's folder.
fn put_raw(bucket: &Bucket, name: &str, bytes: &[u8]) {
    let path = ObjectPath::from(format!("some/folder/{JOB}/{name}"));
    let (client, payload) = (bucket.client.clone(), PutPayload::from(bytes.to_vec()));
    bucket.run(async move { Ok(client.put(&path, payload).await.unwrap()) }).unwrap();
}

#[test]
fn whole_shards_come_back_whatever_their_length() {
    let shards = shards(&bucket());
    for (unit, length) in [0, 1, 8 << 20, (8 << 20) + 1, (40 << 20) + 12345].into_iter().enumerate()
    {
        let bytes = Bytes::from(noise(length));
        let name = name_of(unit as u32, &bytes);
        assert!(matches!(shards.get(&name, length as u64), Err(StoreError::Missing { .. })));
        shards.put(&name, bytes.clone()).unwrap();
        assert!(shards.get(&name, length as u64).unwrap() == bytes, "{length} bytes");
        // Of an empty object the bucket in memory can give no range.
        for other in [length as u64 + 1, 1 << 60].into_iter().filter(|_| length > 0) {
            let error = shards.get(&name, other).unwrap_err();
            assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        }
    }
}

#[test]
fn bytes_that_do_not_fit_the_name_are_refused() {
    let (bucket, good) = (bucket(), noise(1000));
    let (shards, name) = (shards(&bucket), name_of(3, &good));
    let mut bad = good.clone();
    bad[500] ^= 1;
    put_raw(&bucket, &name.to_string(), &bad);
    let error = shards.get(&name, 1000).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains(&name.to_string()), "{error}");
}

#[test]
fn only_shards_are_listed_and_removed() {
    let bucket = bucket();
    let shards = shards(&bucket);
    assert_eq!(shards.list().unwrap(), []);
    let name = name_of(12, b"twelve");
    shards.put(&name, Bytes::from_static(b"twelve")).unwrap();
    let others = [
        "notes.txt".to_owned(),
        "00000012.shard.zst".to_owned(),
        format!("{name}/below"),
        format!("12.{}.shard.zst", blake3::hash(b"x")),
        format!("below/{name}"),
    ];
    for other in &others {
        put_raw(&bucket, other, b"x");
    }
    assert_eq!(shards.list().unwrap(), [StoredShard { name, length: 6 }]);
    shards.remove(&[name, name_of(13, b"not there")]).unwrap();
    assert_eq!(shards.list().unwrap(), []);
    shards.remove(&[]).unwrap();
}

#[test]
fn readers_say_what_is_wrong() {
    let bucket = bucket();
    let shards = shards(&bucket);
    let bytes = noise(3_000_000);
    let name = name_of(1, &bytes);
    let missing = shards.source(&name, 3_000_000).unwrap();
    let kind = missing.read_exact_at(0, &mut [0; 8]).unwrap_err().kind();
    assert_eq!(kind, std::io::ErrorKind::NotFound);
    put_raw(&bucket, &name.to_string(), &bytes[..2_500_000]);
    let short = shards.source(&name, 3_000_000).unwrap();
    let error = short.read_exact_at(2_999_000, &mut [0; 8]).unwrap_err();
    assert!(error.to_string().contains("corrupt"), "{error}");
    // What was read wrongly is not kept: the right bytes come, and a reader sees them.
    put_raw(&bucket, &name.to_string(), &bytes);
    let mut found = [0; 8];
    short.read_exact_at(2_999_000, &mut found).unwrap();
    assert_eq!(found, bytes[2_999_000..2_999_008]);
    for (offset, length) in [(2_999_999, 2), (3_000_000, 1), (u64::MAX, 1)] {
        let error = short.read_exact_at(offset, &mut vec![0; length]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    }
    short.read_exact_at(3_000_000, &mut []).unwrap();
}

#[test]
fn readers_on_many_threads_get_the_right_bytes() {
    let shards = shards(&bucket());
    let bytes = noise((20 << 20) + 77);
    let name = name_of(1, &bytes);
    shards.put(&name, bytes.clone().into()).unwrap();
    let source = shards.source(&name, bytes.len() as u64).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (source, bytes) = (&source, &bytes);
            scope.spawn(move || {
                let mut from = thread * 1_000_003;
                let mut room = vec![0; 700_001];
                while from + room.len() <= bytes.len() {
                    source.read_exact_at(from as u64, &mut room).unwrap();
                    assert!(room == bytes[from..from + room.len()], "from {from}");
                    from += room.len();
                }
            });
        }
    });
}

#[test]
fn a_store_may_be_used_and_dropped_inside_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let shards = shards(&bucket());
        shards.put(&name_of(1, b"x"), Bytes::from_static(b"x")).unwrap();
        drop(shards);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn any_ranges_come_back(
        length in 1_usize..5_000_000,
        ranges in prop::collection::vec((0.0..1.0, 0.0..1.0), 1..20),
    ) {
        let shards = shards(&bucket());
        let bytes = noise(length);
        let name = name_of(1, &bytes);
        shards.put(&name, bytes.clone().into()).unwrap();
        let source = shards.source(&name, length as u64).unwrap();
        prop_assert_eq!(source.len().unwrap(), length as u64);
        for (from, part) in ranges {
            let from = (length as f64 * from) as usize;
            let mut room = vec![0; ((length - from) as f64 * part) as usize];
            source.read_exact_at(from as u64, &mut room).unwrap();
            prop_assert!(room == bytes[from..from + room.len()]);
        }
    }
}
