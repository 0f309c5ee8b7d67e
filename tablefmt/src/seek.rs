//! The seek table at the end of data files and shards, in zstd's seekable format.
//!
//! It is a skippable frame, so `zstd -d` passes over it: magic `0x184D2A5E`, its length, for
//! each frame the compressed and the raw size, then the number of frames, a zero byte and the
//! magic `0x8F92EAB1`; all numbers are 32-bit little-endian.

use std::path::Path;

use zeekstd::{BytesWrapper, SeekTable};

use crate::error::TableError;
use crate::frame::{FrameSize, MAX_COMPRESSED};
use crate::source::ReadAt;

/// Bytes of a seek table of no frames.
const EMPTY: u64 = 17;
/// Bytes for each frame.
const PER_FRAME: u64 = 8;
/// Bytes of the footer, which begins with the number of frames.
const FOOTER: usize = 9;

/// Bytes of the seek table of so many frames.
pub(crate) fn encoded_len(frames: u64) -> u64 {
    EMPTY + PER_FRAME * frames
}

/// The seek table of frames of these sizes.
pub(crate) fn encode(frames: &[FrameSize]) -> Result<Vec<u8>, TableError> {
    let bug = |e: zeekstd::Error| TableError::Bug(format!("seek table: {e}"));
    let mut table = SeekTable::new();
    for size in frames {
        table.log_frame(size.compressed, size.raw).map_err(bug)?;
    }
    let mut serializer = table.into_serializer();
    let mut bytes = vec![0; serializer.encoded_len()];
    let mut written = 0;
    while written < bytes.len() {
        written += serializer.write_into(&mut bytes[written..]);
    }
    Ok(bytes)
}

/// Reads the seek table at the end of a file that must hold frames of the raw sizes `raw` and
/// nothing else. Allocates no more than those ask for, whatever the file says.
pub(crate) fn read(
    source: &dyn ReadAt,
    path: &Path,
    raw: &[u32],
) -> Result<Vec<FrameSize>, TableError> {
    let corrupt = |what: String| TableError::corrupt(path, "seek table", what);
    let len = source.len().map_err(TableError::io(path, "find its length"))?;
    let table_len = encoded_len(raw.len() as u64);
    let Some(start) = len.checked_sub(table_len) else {
        return Err(corrupt(format!("{len} bytes are too few for {} frames", raw.len())));
    };
    let mut bytes = vec![0; table_len as usize];
    source.read_exact_at(start, &mut bytes).map_err(TableError::io(path, "read it"))?;
    let footer = &bytes[bytes.len() - FOOTER..];
    let frames = u32::from_le_bytes([footer[0], footer[1], footer[2], footer[3]]);
    // Checked first, because the parser makes room for as many frames as are claimed.
    if frames as usize != raw.len() || footer[4] != 0 {
        return Err(corrupt(format!("it is not one of {} frames", raw.len())));
    }
    let table = SeekTable::from_seekable(&mut BytesWrapper::new(&bytes))
        .map_err(|error| corrupt(error.to_string()))?;
    let mut sizes = Vec::with_capacity(raw.len());
    for (i, &raw) in raw.iter().enumerate() {
        let size = |found: Result<u64, zeekstd::Error>| found.unwrap_or(u64::MAX);
        let decoded = size(table.frame_size_decomp(i as u32));
        if decoded != u64::from(raw) {
            return Err(corrupt(format!("frame {i} is said to have {decoded} bytes, not {raw}")));
        }
        let stored = size(table.frame_size_comp(i as u32));
        if stored > u64::from(MAX_COMPRESSED) {
            return Err(corrupt(format!("frame {i} is said to be stored in {stored} bytes")));
        }
        sizes.push(FrameSize { compressed: stored as u32, raw });
    }
    let frames: u64 = sizes.iter().map(|s| u64::from(s.compressed)).sum();
    if frames != start {
        return Err(corrupt(format!("its frames have {frames} bytes, but there are {start}")));
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_table_comes_back(list in prop::collection::vec((0u32..5000, any::<u32>()), 0..50)) {
            let frames = sizes(&list);
            let raw: Vec<u32> = frames.iter().map(|f| f.raw).collect();
            prop_assert_eq!(read(&file(&frames), Path::new("f"), &raw).unwrap(), frames);
        }

        #[test]
        fn made_up_tables_are_refused(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            raw in prop::collection::vec(any::<u32>(), 0..20),
        ) {
            prop_assert!(read(&bytes, Path::new("f"), &raw).is_err());
        }

        #[test]
        fn made_up_sizes_are_refused(sized in prop::collection::vec(any::<[u32; 2]>(), 1..20)) {
            // All but the sizes is as it must be.
            let raw: Vec<u32> = sized.iter().map(|s| s[1]).collect();
            let list: Vec<(u32, u32)> = sized.iter().map(|s| (s[0], s[1])).collect();
            let bytes = encode(&sizes(&list)).unwrap();
            let total: u64 = sized.iter().map(|s| u64::from(s[0])).sum();
            let found = read(&bytes, Path::new("f"), &raw);
            prop_assert_eq!(found.is_ok(), total == 0);
        }
    }

    fn sizes(list: &[(u32, u32)]) -> Vec<FrameSize> {
        list.iter().map(|&(compressed, raw)| FrameSize { compressed, raw }).collect()
    }

    fn file(frames: &[FrameSize]) -> Vec<u8> {
        let body: u32 = frames.iter().map(|f| f.compressed).sum();
        [vec![7; body as usize], encode(frames).unwrap()].concat()
    }

    #[test]
    fn tables_come_back() {
        for frames in [sizes(&[]), sizes(&[(5, 100)]), sizes(&[(5, 100), (0, 0), (9, 3)])] {
            let raw: Vec<u32> = frames.iter().map(|f| f.raw).collect();
            let bytes = file(&frames);
            assert_eq!(read(&bytes, Path::new("f"), &raw).unwrap(), frames);
        }
    }

    #[test]
    fn every_change_is_seen() {
        let frames = sizes(&[(5, 100), (6, 100), (9, 3)]);
        let raw: Vec<u32> = frames.iter().map(|f| f.raw).collect();
        let bytes = file(&frames);
        for bit in 20 * 8..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&flipped, Path::new("f"), &raw).is_err(), "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut].to_vec(), Path::new("f"), &raw).is_err(), "cut {cut}");
        }
        assert!(read(&bytes, Path::new("f"), &raw[1..]).is_err());
    }
}
