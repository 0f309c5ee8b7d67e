//! Whole objects to and from a bucket, in parts small enough to be repeated.

use std::ops::Range;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::{GetOptions, GetRange, ObjectStoreExt};

use super::bucket::Object;
use super::error::StoreError;

/// Bytes of a part. Buckets take parts of 5 MiB and more, and want all equally long.
pub(super) const PART: u64 = 8 << 20;
/// Parts that are on the way at a time.
pub(super) const TOGETHER: usize = 4;

/// Parts of so many bytes.
fn parts(length: u64) -> impl Iterator<Item = Range<u64>> {
    (0..length.div_ceil(PART)).map(move |i| i * PART..length.min((i + 1) * PART))
}

/// Writes an object; before the end nobody sees any of it.
pub(super) async fn upload(object: Object, bytes: Bytes) -> Result<(), StoreError> {
    let length = bytes.len() as u64;
    if length <= PART {
        let put = object.client.put(&object.path, bytes.into()).await;
        return put.map(|_| ()).map_err(object.failed("write it"));
    }
    let started = object.client.put_multipart(&object.path).await;
    let mut upload = started.map_err(object.failed("write it"))?;
    let slice = |part: Range<u64>| bytes.slice(part.start as usize..part.end as usize);
    let parts: Vec<_> = parts(length).map(|p| upload.put_part(slice(p).into())).collect();
    let sent = stream::iter(parts).buffer_unordered(TOGETHER).try_collect::<()>().await;
    let ended = match sent {
        Ok(()) => upload.complete().await,
        Err(error) => {
            // The first error is the one to tell.
            let _ = upload.abort().await;
            Err(error)
        }
    };
    ended.map(|_| ()).map_err(object.failed("write it"))
}

/// Reads an object that must have `length` bytes.
pub(super) async fn download(object: Object, length: u64) -> Result<Vec<u8>, StoreError> {
    // Its length is known to be right before room is made for it.
    let first = fetch(&object, 0..length.min(PART), length).await?;
    let mut bytes = Vec::with_capacity(length as usize);
    bytes.extend_from_slice(&first);
    let rest = parts(length).skip(1).map(|part| fetch(&object, part, length));
    let mut rest = stream::iter(rest.collect::<Vec<_>>()).buffered(TOGETHER);
    while let Some(part) = rest.try_next().await? {
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

/// Reads a range of an object that must have `length` bytes altogether.
pub(super) async fn fetch(
    object: &Object,
    range: Range<u64>,
    length: u64,
) -> Result<Bytes, StoreError> {
    let wanted = range.end - range.start;
    // An empty range cannot be asked for.
    let range = (wanted > 0).then_some(GetRange::Bounded(range));
    let head = range.is_none();
    let options = GetOptions { range, head, ..GetOptions::default() };
    let found = object.client.get_opts(&object.path, options).await;
    let found = found.map_err(object.failed("read it"))?;
    if found.meta.size != length {
        let what = format!("it has {} bytes instead of {length}", found.meta.size);
        return Err(StoreError::Corrupt { object: object.url.to_string(), what });
    }
    if head {
        return Ok(Bytes::new());
    }
    let bytes = found.bytes().await.map_err(object.failed("read it"))?;
    if bytes.len() as u64 != wanted {
        let what = format!("{} bytes came instead of {wanted}", bytes.len());
        return Err(StoreError::Corrupt { object: object.url.to_string(), what });
    }
    Ok(bytes)
}
