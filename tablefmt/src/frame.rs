//! One frame: up to 256 KiB of raw values, compressed by itself with zstd.

use std::cell::RefCell;

use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{self, CParameter};

use crate::layout::FRAME_RAW;

/// The compression level. It decides bytes of the files, though not the table's identity.
pub const ZSTD_LEVEL: i32 = 3;

/// Bytes of a compressed frame at the most; whatever claims more is refused before room is
/// made for it.
pub const MAX_COMPRESSED: u32 = FRAME_RAW as u32 + (FRAME_RAW >> 8) as u32 + 64;

/// How a frame begins, then comes the byte that says which fields follow.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// In that byte: the frame ends with a checksum of its content.
const HAS_CHECKSUM: u8 = 1 << 2;

thread_local! {
    // A context takes about a megabyte and long to set up, so each thread keeps its own.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    // Frames wait for their shard in memory: each gets no more than it needs.
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The zstd library's version, as it is recorded in manifests.
pub fn zstd_version() -> &'static str {
    zstd_safe::version_string()
}

/// Compresses raw bytes into one frame that knows its content's size and checksum.
///
/// # Errors
/// Only if the compressor cannot be set up, for want of memory.
pub fn compress(raw: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => {
                let mut compressor = Compressor::new(ZSTD_LEVEL)?;
                compressor.set_parameter(CParameter::ChecksumFlag(true))?;
                slot.insert(compressor)
            }
        };
        ROOM.with_borrow_mut(|room| {
            room.clear();
            room.reserve(zstd_safe::compress_bound(raw.len()));
            compressor.compress_to_buffer(raw, room)?;
            Ok(room.as_slice().to_vec())
        })
    })
}

/// Decompresses exactly one frame that must fill `raw` exactly; otherwise says what is wrong.
///
/// # Errors
/// What is wrong, for people: no checksum, a wrong one, bytes after the frame, or another number
/// of raw bytes.
pub fn decompress(frame: &[u8], raw: &mut [u8]) -> Result<(), String> {
    // Without one, a damaged frame could decode to wrong values.
    if frame
        .strip_prefix(&MAGIC)
        .and_then(|rest| rest.first())
        .is_none_or(|b| b & HAS_CHECKSUM == 0)
    {
        return Err("it is not a frame with a checksum".to_owned());
    }
    match zstd_safe::find_frame_compressed_size(frame) {
        Ok(size) if size == frame.len() => {}
        Ok(size) => return Err(format!("a frame of {size} bytes in {}", frame.len())),
        Err(code) => return Err(zstd_safe::get_error_name(code).to_owned()),
    }
    let decoded = DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new()?),
        };
        decompressor.decompress_to_buffer(frame, raw)
    });
    match decoded {
        Ok(size) if size == raw.len() => Ok(()),
        Ok(size) => Err(format!("it decodes to {size} bytes instead of {}", raw.len())),
        Err(error) => Err(error.to_string()),
    }
}

/// Sizes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameSize {
    /// Bytes as stored.
    pub compressed: u32,
    /// Bytes of the values.
    pub raw: u32,
}

/// A frame that does not decode.
#[derive(Debug, PartialEq, Eq)]
pub struct BadFrame {
    /// Its place among those decoded together, from 0.
    pub frame: usize,
    /// What is wrong.
    pub what: String,
}

/// Decompresses frames that stand one after the other, on the threads of the rayon pool this
/// is called in. `compressed` and `raw` must be as long as the frames together.
///
/// # Errors
/// [`BadFrame`]: one of the frames that [`decompress`] refuses.
///
/// # Panics
/// When they are not.
pub fn decompress_all(
    compressed: &[u8],
    frames: &[FrameSize],
    raw: &mut [u8],
) -> Result<(), BadFrame> {
    let (mut from, mut to) = (compressed, raw);
    let mut parts = Vec::with_capacity(frames.len());
    for size in frames {
        let (frame, rest) = from.split_at(size.compressed as usize);
        let (values, room) = to.split_at_mut(size.raw as usize);
        parts.push((frame, values));
        (from, to) = (rest, room);
    }
    assert!(from.is_empty() && to.is_empty(), "frames of other sizes");
    let decode = |(frame, (compressed, raw)): (usize, (&[u8], &mut [u8]))| {
        decompress(compressed, raw).map_err(|what| BadFrame { frame, what })
    };
    parts.into_par_iter().enumerate().try_for_each(decode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back() {
        for len in [0, 1, 1000, 256 * 1024] {
            let raw: Vec<u8> = (0..len).map(|i: usize| (i * i / 7) as u8).collect();
            let frame = compress(&raw).unwrap();
            let mut back = vec![0; len];
            decompress(&frame, &mut back).unwrap();
            assert_eq!(back, raw);
        }
    }

    #[test]
    fn no_frame_is_larger_than_the_limit() {
        assert!(zstd_safe::compress_bound(FRAME_RAW as usize) <= MAX_COMPRESSED as usize);
        let mut state = 1u64;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        });
        let raw: Vec<u8> = noise.take(FRAME_RAW as usize).collect();
        let frame = compress(&raw).unwrap();
        assert!(frame.len() > raw.len() && frame.len() <= MAX_COMPRESSED as usize);
    }

    #[test]
    fn frames_without_checksum_are_refused() {
        let raw = [5; 1000];
        let frame = Compressor::new(ZSTD_LEVEL).unwrap().compress(&raw).unwrap();
        let error = decompress(&frame, &mut [0; 1000]).unwrap_err();
        assert!(error.contains("checksum"), "{error}");
        let skippable = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0];
        assert!(decompress(&skippable, &mut []).is_err());
    }

    #[test]
    fn damage_is_seen() {
        let raw: Vec<u8> = (0..50_000u32).map(|i| (i / 7) as u8).collect();
        let frame = compress(&raw).unwrap();
        let mut back = vec![0; raw.len()];
        let mut refused = 0;
        for bit in (0..frame.len() * 8).step_by(13) {
            let mut flipped = frame.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            // A few bits have no meaning; what decodes must be what was compressed.
            match decompress(&flipped, &mut back) {
                Ok(()) => assert!(back == raw, "bit {bit}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > frame.len() * 8 / 13 * 9 / 10, "{refused} flipped bits are refused");
        for cut in [0, 1, 4, frame.len() / 2, frame.len() - 1] {
            assert!(decompress(&frame[..cut], &mut back).is_err(), "cut at {cut}");
        }
        let twice = [frame.clone(), frame.clone()].concat();
        assert!(decompress(&twice, &mut vec![0; 2 * raw.len()]).is_err());
        assert!(decompress(&frame, &mut vec![0; raw.len() + 1]).is_err());
        assert!(decompress(&frame, &mut vec![0; raw.len() - 1]).is_err());
    }
}
