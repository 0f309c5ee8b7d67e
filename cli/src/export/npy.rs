//! The values of a table as an array that numpy reads.
//!
//! The format is described at <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>:
//! a magic, a version, the length of a header, the header, which is a Python dictionary padded
//! to a multiple of 64 bytes, and the raw values. A table of several columns is an array of
//! records without gaps.

use std::io::Write;

use retrotab_tablefmt::Table;
use retrotab_tablefmt::layout::{Column, EntryType};

use super::TOGETHER;
use super::progress::Progress;

/// Magic and version 1.0.
const START: &[u8; 8] = b"\x93NUMPY\x01\x00";
/// What begins with the magic and ends with the header fills multiples of this.
const ALIGNMENT: usize = 64;

/// Writes all values, in order of entries.
pub fn write(table: &Table, progress: &Progress, out: &mut impl Write) -> anyhow::Result<()> {
    let manifest = table.manifest();
    let columns = manifest.table.layout().columns;
    out.write_all(&header(&columns, manifest.entries))?;
    let mut bytes = Vec::new();
    for first in (0..manifest.entries).step_by(TOGETHER as usize) {
        let entries = first..manifest.entries.min(first + TOGETHER);
        let read = |column| table.values(column, entries.clone());
        let values = (0..columns.len()).map(read).collect::<Result<Vec<_>, _>>()?;
        bytes.clear();
        for i in 0..values[0].len() {
            for (values, column) in values.iter().zip(&columns) {
                let width = column.entry.bytes() as usize;
                bytes.extend_from_slice(&values[i].to_le_bytes()[..width]);
            }
        }
        out.write_all(&bytes)?;
        progress.read(entries.end - entries.start)?;
    }
    Ok(())
}

fn header(columns: &[Column], entries: u64) -> Vec<u8> {
    let descr = match columns {
        [one] => format!("'{}'", dtype(one.entry)),
        several => {
            let field = |column: &Column| format!("('{}', '{}')", column.name, dtype(column.entry));
            format!("[{}]", several.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    };
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({entries},), }}");
    // Two bytes of length before the text and a line break after it.
    let padded = (START.len() + 2 + text.len() + 1).next_multiple_of(ALIGNMENT);
    let length = padded - START.len() - 2;
    let mut header = START.to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text.bytes());
    header.resize(padded - 1, b' ');
    header.push(b'\n');
    header
}

fn dtype(entry: EntryType) -> &'static str {
    match entry {
        EntryType::U8 => "|u1",
        EntryType::U16 => "<u2",
        EntryType::U32 => "<u4",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_aligned_and_say_what_follows() {
        let column = |name: &str, entry| Column { name: name.to_owned(), entry };
        let one = header(&[column("value", EntryType::U16)], 780_042_375);
        let text = "{'descr': '<u2', 'fortran_order': False, 'shape': (780042375,), }";
        assert_eq!(one.len(), 128);
        assert_eq!(&one[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(&one[10..10 + text.len()], text.as_bytes());
        assert!(one[10 + text.len()..127].iter().all(|&byte| byte == b' ') && one[127] == b'\n');
        let columns = [column("win", EntryType::U32), column("placements", EntryType::U8)];
        let several = String::from_utf8_lossy(&header(&columns, 3)).into_owned();
        assert!(several.contains("[('win', '<u4'), ('placements', '|u1')]"), "{several}");
    }
}
