//! Commands about poker hands: reading hand tables, and match-ups without a table.

pub mod equity;
pub mod evaluate;
pub mod top;

use std::path::Path;

use retrotab_tablefmt::hands::{HandsError, HandsSpec};
use retrotab_tablefmt::spec::TableSpec;
use retrotab_tablefmt::{InputError, ReadOptions, Table, TableError};

use crate::failure::UserError;

/// Mistakes in cards and hands are the user's.
pub fn users(error: HandsError) -> TableError {
    TableError::Input(InputError::Hands(error))
}

/// Opens a table that must be a hand table.
fn open(dir: &Path) -> anyhow::Result<(Table, HandsSpec)> {
    let table = Table::open(dir, ReadOptions::default())?;
    match table.manifest().table {
        TableSpec::Hands(spec) => Ok((table, spec)),
        ref other => {
            let text = format!("{} holds a {other}, not a hand table", dir.display());
            Err(UserError(text).into())
        }
    }
}
