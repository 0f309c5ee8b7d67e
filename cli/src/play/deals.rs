//! From what was typed to deals.

use std::fs;

use anyhow::Context;
use retrotab_player::Deal;

use super::setup::Rules;
use crate::args::PlayArgs;
use crate::failure::UserError;

/// The deals to play: a part of a series, or lines of a file.
pub enum Deals {
    Series { rules: Rules, seed: u64, first: u64, count: u64 },
    Listed { first: u64, deals: Vec<Deal> },
}

impl Deals {
    /// Number of deals, at least 1.
    pub fn count(&self) -> u64 {
        match self {
            Deals::Series { count, .. } => *count,
            Deals::Listed { deals, .. } => deals.len() as u64,
        }
    }

    /// Number of the first deal.
    pub fn first(&self) -> u64 {
        match self {
            Deals::Series { first, .. } | Deals::Listed { first, .. } => *first,
        }
    }

    /// A deal, counted from the first one.
    pub fn get(&self, at: u64) -> anyhow::Result<Deal> {
        match self {
            Deals::Series { rules, seed, first, .. } => {
                let number = first.checked_add(at).context("there are no deals that far")?;
                Ok(Deal::shuffled(rules.game, rules.start, *seed, number))
            }
            Deals::Listed { deals, .. } => {
                deals.get(at as usize).cloned().context("bug: no such deal")
            }
        }
    }
}

/// The deals asked for.
pub fn deals(args: &PlayArgs, rules: Rules) -> anyhow::Result<Deals> {
    let Some(path) = &args.deals else {
        let (seed, first, count) = (args.seed, args.deal, args.count.unwrap_or(1));
        return Ok(Deals::Series { rules, seed, first, count });
    };
    let text =
        fs::read_to_string(path).with_context(|| format!("{}: cannot read it", path.display()))?;
    let mut deals = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let deal = Deal::parse(rules.game, rules.start, line);
        let at = || format!("{}: line {}", path.display(), number + 1);
        deals.push(deal.map_err(|error| UserError(format!("{}: {error}", at())))?);
    }
    let first = usize::try_from(args.deal).unwrap_or(usize::MAX);
    if first >= deals.len() {
        let (path, found) = (path.display(), deals.len());
        let text = format!("{path}: there is no deal {first}, it has {found}, counted from 0");
        return Err(UserError(text).into());
    }
    deals.drain(..first);
    if let Some(count) = args.count {
        deals.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    }
    Ok(Deals::Listed { first: args.deal, deals })
}
