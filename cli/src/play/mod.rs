//! `retrotab play` and `retrotab advise`: the solitaire Calculation.

mod advise;
mod deals;
mod interactive;
mod memory;
mod options;
mod picture;
mod series;
mod setup;
mod single;

pub use advise::advise;

use crate::args::PlayArgs;
use setup::{Judge, Table};

/// Plays one deal or many, or lets a person play.
pub fn play(args: &PlayArgs) -> anyhow::Result<()> {
    let rules = setup::rules(&args.game)?;
    let settings = setup::settings(&args.thinking)?;
    let deals = deals::deals(args, rules)?;
    let judge = Judge::new(&args.thinking, rules.game)?;
    let table = Table { rules, settings, evaluator: judge.evaluator.as_ref() };
    if args.interactive {
        interactive::play(&table, &deals.get(0)?)?;
    } else if deals.count() == 1 {
        single::play(&table, &deals.get(0)?, args.json)?;
    } else {
        series::play(&table, &deals, args)?;
    }
    judge.save(&args.thinking)
}
