//! What a solver knows, as a file.
//!
//! ```text
//! 8 bytes   "RTSUBGAM"
//! u32       version
//! u8 u8     stacks, cards a lane
//! u8        ranks of the game whose choice at draws is valued, 0 for chance alone
//! u8        0
//! u64       entries
//! ...       zstd: per entry, the difference of its spread key to the one before (zigzag,
//!           LEB128) and its value (3 bytes)
//! 32 bytes  BLAKE3 of all before
//! ```
//!
//! Integers are little-endian.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use retrotab_tablefmt::TableError;
use retrotab_tablefmt::durable::DurableFile;

use super::draws::Draws;
use super::error::SubgameError;
use super::memo::{Memo, Value};
use super::rules::Rules;
use super::solver::Solver;

/// How a cache begins.
const MAGIC: &[u8; 8] = b"RTSUBGAM";
/// Version of the format, of the keys and of the values.
const VERSION: u32 = 2;
/// Bytes before the entries.
const HEADER: usize = 24;
/// Bytes of the digest.
const DIGEST: usize = 32;
/// zstd's level: keys are random, so little is to be won.
const LEVEL: i32 = 1;
/// Bytes that are collected before they are written.
const BLOCK: usize = 1 << 20;

impl Solver {
    /// Writes all that is known to a file, which is there whole or not at all.
    ///
    /// # Errors
    /// [`SubgameError::File`] if it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), SubgameError> {
        self.with_known(|memo| save(self.rules(), memo, path))
    }

    /// A solver that knows what is in a file.
    ///
    /// # Errors
    /// [`SubgameError::Missing`]; [`SubgameError::Foreign`], [`SubgameError::Version`],
    /// [`SubgameError::OtherRules`] or [`SubgameError::OtherDraws`] if it is a file of something
    /// else; [`SubgameError::Damaged`]; [`SubgameError::TooLarge`] or [`SubgameError::Memory`] if
    /// `memory`, in bytes, is too little; [`SubgameError::File`] if it cannot be read.
    pub fn load(rules: Rules, memory: u64, path: &Path) -> Result<Self, SubgameError> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(SubgameError::Missing(path.to_owned()));
            }
            Err(error) => return Err(cannot(path, "open it")(error)),
        };
        let (entries, body) = check(rules, &mut file, path)?;
        let needed = Memo::bytes_for(rules.key_bits(), entries as usize);
        if needed > memory {
            let path = path.to_owned();
            return Err(SubgameError::TooLarge { path, entries, needed, allowed: memory });
        }
        file.seek(SeekFrom::Start(HEADER as u64)).map_err(cannot(path, "read it"))?;
        let memo = read_entries(rules, file.take(body), entries)
            .map_err(|error| damaged(path, format!("its positions cannot be read ({error})")))?;
        Self::with_memo(rules, memory, memo)
    }
}

fn cannot(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> SubgameError {
    move |source| SubgameError::File(TableError::Io { path: path.to_owned(), doing, source })
}

fn damaged(path: &Path, what: impl Into<String>) -> SubgameError {
    SubgameError::Damaged { path: path.to_owned(), what: what.into() }
}

fn save(rules: Rules, memo: &Memo, path: &Path) -> Result<(), SubgameError> {
    let compress = cannot(path, "compress what belongs into it");
    // Others may be adding entries: those that are there now are written.
    let entries: Vec<(u64, Value)> = memo.entries().collect();
    let mut file = DurableFile::create(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut append = |bytes: &mut Vec<u8>| {
        hasher.update(bytes);
        file.write(bytes).map(|()| bytes.clear())
    };
    append(&mut header(rules, entries.len() as u64))?;
    let mut body = zstd::Encoder::new(Vec::new(), LEVEL).map_err(cannot(path, "compress it"))?;
    let mut raw = Vec::with_capacity(BLOCK);
    let mut before = 0;
    for chunk in entries.chunks(BLOCK / 16) {
        for &(key, value) in chunk {
            push_entry(&mut raw, key.wrapping_sub(before) as i64, value);
            before = key;
        }
        body.write_all(&raw).map_err(cannot(path, "compress it"))?;
        raw.clear();
        append(body.get_mut())?;
    }
    append(&mut body.finish().map_err(compress)?)?;
    let digest = hasher.finalize();
    file.write(digest.as_bytes())?;
    Ok(file.commit()?)
}

fn header(rules: Rules, entries: u64) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend([rules.stacks() as u8, rules.chain() as u8, choice(rules), 0]);
    header.extend(entries.to_le_bytes());
    header
}

/// The byte that says how draws are valued.
fn choice(rules: Rules) -> u8 {
    match rules.draws() {
        Draws::Chance => 0,
        Draws::Choice { ranks } => ranks,
    }
}

fn push_entry(raw: &mut Vec<u8>, difference: i64, value: Value) {
    let mut zigzag = (difference << 1 ^ difference >> 63) as u64;
    while zigzag >= 128 {
        raw.push(zigzag as u8 | 128);
        zigzag >>= 7;
    }
    raw.push(zigzag as u8);
    raw.extend(&value.0.to_le_bytes()[..3]);
}

/// Checks all of a file but its entries. Returns their number and the length of the body.
fn check(rules: Rules, file: &mut File, path: &Path) -> Result<(u64, u64), SubgameError> {
    let mut header = [0; HEADER];
    match file.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(SubgameError::Foreign(path.to_owned()));
        }
        Err(error) => return Err(cannot(path, "read it")(error)),
    }
    let mut fields = header.as_slice();
    if take::<8>(&mut fields) != *MAGIC {
        return Err(SubgameError::Foreign(path.to_owned()));
    }
    let found = u32::from_le_bytes(take(&mut fields));
    if found != VERSION {
        return Err(SubgameError::Version { path: path.to_owned(), found, known: VERSION });
    }
    let [found_stacks, found_chain, found_choice, _] = take::<4>(&mut fields);
    let entries = u64::from_le_bytes(take(&mut fields));
    let length = file.metadata().map_err(cannot(path, "read its size"))?.len();
    let Some(body) = length.checked_sub((HEADER + DIGEST) as u64) else {
        return Err(damaged(path, format!("it ends after {length} bytes")));
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header);
    let mut rest = BufReader::with_capacity(BLOCK, &*file);
    hasher.update_reader((&mut rest).take(body)).map_err(cannot(path, "read it"))?;
    let mut digest = [0; DIGEST];
    rest.read_exact(&mut digest).map_err(cannot(path, "read it"))?;
    if hasher.finalize() != digest {
        return Err(damaged(path, "its BLAKE3 digest does not fit its contents"));
    }
    if (usize::from(found_stacks), usize::from(found_chain)) != (rules.stacks(), rules.chain()) {
        let path = path.to_owned();
        return Err(SubgameError::OtherRules { path, found_stacks, found_chain, wanted: rules });
    }
    if found_choice != choice(rules) {
        return Err(SubgameError::OtherDraws(path.to_owned()));
    }
    Ok((entries, body))
}

/// Takes the next bytes of a header, which has them.
fn take<const N: usize>(fields: &mut &[u8]) -> [u8; N] {
    let (first, rest) = fields.split_first_chunk().expect("the header has all its fields");
    *fields = rest;
    *first
}

fn read_entries(rules: Rules, body: impl Read, entries: u64) -> io::Result<Memo> {
    let mut raw = BufReader::with_capacity(BLOCK, zstd::Decoder::new(body)?);
    let mut memo = Memo::new(rules.key_bits(), entries as usize);
    let mut key = 0u64;
    for _ in 0..entries {
        key = key.wrapping_add(read_difference(&mut raw)? as u64);
        let mut bytes = [0; 4];
        raw.read_exact(&mut bytes[..3])?;
        let value = Value(u32::from_le_bytes(bytes));
        if key >> rules.key_bits() != 0 || value > Value::ONE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a position that is none"));
        }
        while memo.insert_spread(key, value).is_err() {
            memo = memo.doubled();
        }
    }
    if raw.read(&mut [0])? != 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "more positions than it says"));
    }
    Ok(memo)
}

fn read_difference(raw: &mut impl Read) -> io::Result<i64> {
    let mut zigzag = 0u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        raw.read_exact(&mut byte)?;
        zigzag |= u64::from(byte[0] & 127) << shift;
        if byte[0] < 128 {
            return Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64));
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "a number without end"))
}
