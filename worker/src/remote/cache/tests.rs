use std::os::unix::fs::FileExt;

use retrotab_tablefmt::shard::{JobDigest, UnitId};

use super::*;

fn shard(unit: u32, bytes: &[u8]) -> ShardName {
    let digest = ShardDigest { blake3: blake3::hash(bytes), length: bytes.len() as u64 };
    ShardName { job: JobDigest([7; 32]), unit: UnitId(unit), digest }
}

fn put(cache: &ShardCache, unit: u32, bytes: &[u8]) -> ShardName {
    let shard = shard(unit, bytes);
    let mut writer = cache.create(shard).unwrap();
    bytes.chunks(3).for_each(|piece| writer.write(piece).unwrap());
    cache.finish(writer).unwrap().unwrap();
    shard
}

fn content(cache: &ShardCache, shard: &ShardName) -> Option<Vec<u8>> {
    let file = cache.get(shard).unwrap()?;
    let mut bytes = vec![0; shard.digest.length as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    Some(bytes)
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn what_is_put_in_comes_back_also_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let one = ShardCache::open(folder.path(), 1000).unwrap();
    let shard = put(&one, 3, b"some bytes");
    assert_eq!(content(&one, &shard).unwrap(), b"some bytes");
    let two = ShardCache::open(folder.path(), 1000).unwrap();
    assert_eq!(content(&two, &shard).unwrap(), b"some bytes");
    assert_eq!(content(&two, &self::shard(4, b"some bytes")), None);
}

#[test]
fn wrong_bytes_never_get_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ShardCache::open(folder.path(), 1000).unwrap();
    for wrong in [&b"some bytez"[..], b"some byte", b"some bytes and more", b""] {
        let mut writer = cache.create(shard(3, b"some bytes")).unwrap();
        writer.write(wrong).unwrap();
        assert!(cache.finish(writer).unwrap().is_err(), "{wrong:?}");
    }
    assert_eq!(files(folder.path()), 0);
}

#[test]
fn damaged_files_are_noticed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let shard = {
        let cache = ShardCache::open(folder.path(), 1000).unwrap();
        put(&cache, 3, b"some bytes")
    };
    for damage in [&b"sOme bytes"[..], b"some byt", b"some bytes.", b""] {
        let cache = ShardCache::open(folder.path(), 1000).unwrap();
        fs::write(cache.path(&shard), damage).unwrap();
        assert_eq!(content(&cache, &shard), None, "{damage:?}");
        assert_eq!(files(folder.path()), 0, "{damage:?}");
    }
    // Another process may put a bad file where this one had seen a good one.
    let cache = ShardCache::open(folder.path(), 1000).unwrap();
    let shard = put(&cache, 3, b"some bytes");
    fs::write(folder.path().join("new"), b"sOme bytes").unwrap();
    fs::rename(folder.path().join("new"), cache.path(&shard)).unwrap();
    assert_eq!(content(&cache, &shard), None);
}

#[test]
fn the_longest_unused_files_go_and_never_one_in_use() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("not ours.shard"), [0; 500]).unwrap();
    let others = ShardCache::open(folder.path(), 1000).unwrap();
    let foreign = put(&others, 9, &[9; 10]);
    let cache = ShardCache::open(folder.path(), 30).unwrap();
    let [a, b] = [1, 2].map(|unit| put(&cache, unit, &[unit as u8; 10]));
    // Full; the file that this process has never used goes first.
    let c = put(&cache, 3, &[3; 10]);
    assert_eq!(content(&cache, &foreign), None);
    assert!(content(&cache, &a).is_some());
    let used = cache.get(&b).unwrap().unwrap();
    let _c_is_used_last = content(&cache, &c);
    // `b` was used before `c`, but `a` is the oldest.
    put(&cache, 4, &[4; 10]);
    assert_eq!(content(&cache, &a), None);
    // `b` is the oldest now, but open, here or in another process.
    others.make_room(20).unwrap();
    cache.make_room(10).unwrap();
    assert_eq!(content(&cache, &c), None);
    assert!(content(&cache, &b).is_some());
    drop(used);
    cache.make_room(0).unwrap();
    assert_eq!(content(&cache, &b), None);
    assert_eq!(files(folder.path()), 1, "what is not ours stays");
}

#[test]
fn what_a_killed_process_was_writing_goes() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ShardCache::open(folder.path(), 1000).unwrap();
    fs::write(folder.path().join(".abc.shard-part"), b"half").unwrap();
    let mut going_on = cache.create(shard(1, b"xyz")).unwrap();
    let other = ShardCache::open(folder.path(), 1000).unwrap();
    put(&other, 2, b"abc");
    assert!(!folder.path().join(".abc.shard-part").exists());
    going_on.write(b"xyz").unwrap();
    cache.finish(going_on).unwrap().unwrap();
    assert_eq!(files(folder.path()), 2);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    fs::write(&file, b"").unwrap();
    let error = ShardCache::open(&file, 1000).unwrap_err().to_string();
    assert!(error.contains("/f: cannot create the folder"), "{error}");
}
