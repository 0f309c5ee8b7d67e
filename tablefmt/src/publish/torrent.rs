//! A torrent of a table, with web seeds: BEP 3 (metainfo), BEP 19 (`url-list`).

use std::collections::BTreeMap;

use sha1::{Digest, Sha1};

/// Bytes of a piece at least and at most.
const PIECE: std::ops::RangeInclusive<u64> = (256 << 10)..=(16 << 20);
/// A torrent should not have many more pieces, for it holds a digest of each.
const PIECES: u64 = 2000;

/// Something in bencoding.
enum Value<'a> {
    Integer(u64),
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    Dictionary(BTreeMap<&'a str, Value<'a>>),
}

impl Value<'_> {
    fn encode(&self, out: &mut Vec<u8>) {
        let bytes = |bytes: &[u8], out: &mut Vec<u8>| {
            out.extend_from_slice(format!("{}:", bytes.len()).as_bytes());
            out.extend_from_slice(bytes);
        };
        match self {
            Value::Integer(number) => out.extend_from_slice(format!("i{number}e").as_bytes()),
            Value::Bytes(text) => bytes(text, out),
            Value::List(values) => {
                out.push(b'l');
                values.iter().for_each(|value| value.encode(out));
                out.push(b'e');
            }
            Value::Dictionary(values) => {
                out.push(b'd');
                // Keys are in order, as they must be.
                for (key, value) in values {
                    bytes(key.as_bytes(), out);
                    value.encode(out);
                }
                out.push(b'e');
            }
        }
    }
}

/// A file of a torrent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TorrentFile {
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// Digests of the pieces of files, which stand one after the other.
pub(super) struct Pieces {
    length: u64,
    current: Sha1,
    filled: u64,
    digests: Vec<u8>,
}

impl Pieces {
    /// Of files with so many bytes together.
    pub(super) fn new(bytes: u64) -> Pieces {
        let length = (bytes / PIECES).next_power_of_two().clamp(*PIECE.start(), *PIECE.end());
        Pieces { length, current: Sha1::new(), filled: 0, digests: Vec::new() }
    }

    /// The next bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = (self.length - self.filled).min(bytes.len() as u64);
            let (now, later) = bytes.split_at(room as usize);
            self.current.update(now);
            self.filled += room;
            bytes = later;
            if self.filled == self.length {
                self.end_piece();
            }
        }
    }

    fn end_piece(&mut self) {
        self.digests.extend_from_slice(&self.current.finalize_reset());
        self.filled = 0;
    }

    /// The torrent of the files, in a folder of this name. A client finds `FILE` of a web seed
    /// at `URL NAME/FILE`, so each URL is of the folder that the table's is in.
    pub(super) fn torrent(
        mut self,
        name: &str,
        files: &[TorrentFile],
        seeds: &[String],
    ) -> Vec<u8> {
        if self.filled > 0 {
            self.end_piece();
        }
        let listed = files.iter().map(|file| {
            let path = Value::List(vec![Value::Bytes(file.name.as_bytes())]);
            Value::Dictionary([("length", Value::Integer(file.bytes)), ("path", path)].into())
        });
        let info = [
            ("files", Value::List(listed.collect())),
            ("name", Value::Bytes(name.as_bytes())),
            ("piece length", Value::Integer(self.length)),
            ("pieces", Value::Bytes(&self.digests)),
        ];
        let mut torrent = BTreeMap::from([("info", Value::Dictionary(info.into()))]);
        if !seeds.is_empty() {
            let seeds = seeds.iter().map(|url| Value::Bytes(url.as_bytes()));
            torrent.insert("url-list", Value::List(seeds.collect()));
        }
        let mut out = Vec::new();
        Value::Dictionary(torrent).encode(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torrent_is_as_bep_3_says() {
        let mut pieces = Pieces::new(5);
        pieces.update(b"ab");
        pieces.update(b"cde");
        let files = [("x", 2), ("yy", 3)];
        let files = files.map(|(name, bytes)| TorrentFile { name: name.to_owned(), bytes });
        let torrent = pieces.torrent("t", &files, &["http://h/".to_owned()]);
        let mut expected = b"d4:infod5:filesld6:lengthi2e4:pathl1:xeed6:lengthi3e4:pathl2:yyeee\
            4:name1:t12:piece lengthi262144e6:pieces20:"
            .to_vec();
        // SHA-1 of "abcde", from sha1sum.
        expected
            .extend_from_slice(&hex::decode("03de6c570bfe24bfc328ccd7ca46b76eadaf4334").unwrap());
        expected.extend_from_slice(b"e8:url-listl9:http://h/ee");
        assert_eq!(torrent, expected);
    }

    #[test]
    fn pieces_do_not_depend_on_how_bytes_come() {
        let bytes: Vec<u8> = (0..700_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        let all = |size: usize| {
            let mut pieces = Pieces::new(bytes.len() as u64);
            bytes.chunks(size).for_each(|chunk| pieces.update(chunk));
            pieces.torrent("t", &[], &[])
        };
        let whole = all(bytes.len());
        assert_eq!(all(999), whole);
        assert!(whole.len() > 60, "three digests");
        assert_eq!((Pieces::new(1 << 40).length, Pieces::new(0).length), (16 << 20, 256 << 10));
        assert_eq!(Pieces::new(1_000_000_000).length, 512 << 10);
    }
}
