//! Looking up positions of the stack game.

use std::io::Write;

use anyhow::Context;
use retrotab_tablefmt::stack::{Position, Ranking, StackSpec};
use retrotab_tablefmt::{InputError, Table, TableError};
use serde_json::json;

use super::Prober;
use crate::failure::UserError;

/// Looks up positions in a stack table.
pub struct StackProber<'a> {
    table: &'a Table,
    ranking: Ranking,
    json: bool,
}

impl<'a> StackProber<'a> {
    pub fn new(table: &'a Table, spec: StackSpec, json: bool) -> Self {
        StackProber { table, ranking: Ranking::new(spec), json }
    }
}

impl Prober for StackProber<'_> {
    fn print(&self, lanes: &[&str], out: &mut dyn Write) -> anyhow::Result<()> {
        let &[a, b] = lanes else {
            let found = lanes.len();
            let text = format!("a stack position is two lanes, like `..1.0 .2.`, not {found}");
            return Err(UserError(text).into());
        };
        let spec = self.ranking.spec();
        let notation = |e| TableError::Input(InputError::Notation(e));
        let position = Position::parse(a, b, spec.stacks, spec.cards).map_err(notation)?;
        let entry = self.ranking.rank(&position).context("bug: a parsed position has no rank")?;
        let value = self.table.value(0, entry)?;
        let share = f64::from(value) / 65535.0;
        if self.json {
            let normal = json!([position.a.to_string(), position.b.to_string()]);
            let line = json!({"position": normal, "entry": entry, "value": value, "share": share});
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{position}  {share:.6}  ({value}/65535, entry {entry})")?;
        }
        Ok(())
    }
}
