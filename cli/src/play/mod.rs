//! `retrotab play` and `retrotab advise`: the solitaire Calculation.

mod advise;
mod interactive;
mod picture;
mod series;
mod setup;
mod single;

pub use advise::advise;

use crate::args::PlayArgs;
use setup::Table;

/// Plays one deal or many, or lets a person play.
pub fn play(args: &PlayArgs) -> anyhow::Result<()> {
    let rules = setup::rules(&args.game)?;
    let settings = setup::settings(&args.thinking)?;
    let deals = setup::deals(args, rules)?;
    let evaluator = setup::evaluator(&args.thinking, rules.game)?;
    let table = Table { rules, settings, evaluator: evaluator.as_ref() };
    if args.interactive {
        let deal = deals.get(0)?;
        return interactive::play(&table, &deal);
    }
    if deals.count() == 1 {
        return single::play(&table, &deals.get(0)?, args.json);
    }
    series::play(&table, &deals, args)
}
