//! Which evaluators use which options: others are refused, so that nobody compares players that
//! do not differ.

use clap::ValueEnum;

use crate::args::EvaluatorName::{self, Best, Fitted, FittedSubgames, Subgames, Sum, Table};
use crate::args::ThinkingArgs;
use crate::failure::UserError;

/// An option of some evaluators.
struct Special {
    name: &'static str,
    is_given: fn(&ThinkingArgs) -> bool,
    users: &'static [EvaluatorName],
}

const OF_TABLE: &[EvaluatorName] = &[Table, Fitted, Sum, FittedSubgames, Best];
const OF_SUBGAMES: &[EvaluatorName] = &[Subgames, Sum, FittedSubgames, Best];

/// All options that not every evaluator uses.
const SPECIAL: [Special; 9] = [
    Special { name: "--table", is_given: |args| args.table.is_some(), users: OF_TABLE },
    Special { name: "--weights", is_given: |args| args.weights.is_some(), users: &[Fitted, Best] },
    Special {
        name: "--subgame-weights",
        is_given: |args| args.subgame_weights.is_some(),
        users: &[FittedSubgames, Best],
    },
    Special { name: "--width", is_given: |args| args.width.is_some(), users: OF_SUBGAMES },
    Special { name: "--samples", is_given: |args| args.samples.is_some(), users: OF_SUBGAMES },
    Special { name: "--draws", is_given: |args| args.draws.is_some(), users: OF_SUBGAMES },
    Special { name: "--weight", is_given: |args| args.weight.is_some(), users: &[Sum] },
    Special { name: "--cache", is_given: |args| args.cache.is_some(), users: OF_SUBGAMES },
    Special { name: "--memory", is_given: |args| args.memory.is_some(), users: OF_SUBGAMES },
];

/// The evaluators asked for.
pub fn evaluators(args: &ThinkingArgs) -> impl Iterator<Item = EvaluatorName> {
    [args.evaluator].into_iter().chain(args.first)
}

/// Refuses options that no evaluator asked for uses.
pub fn check(args: &ThinkingArgs) -> Result<(), UserError> {
    let is_used = |option: &Special| evaluators(args).any(|name| option.users.contains(&name));
    let Some(option) = SPECIAL.iter().find(|option| (option.is_given)(args) && !is_used(option))
    else {
        return Ok(());
    };
    let (asked, users) = (names(evaluators(args)), names(option.users.iter().copied()));
    Err(UserError(format!(
        "{} is not used by --evaluator {asked}, only by {users}; leave it out, or choose another \
         evaluator",
        option.name
    )))
}

/// The names as they are typed: `fitted, best`.
fn names(evaluators: impl Iterator<Item = EvaluatorName>) -> String {
    let name = |name: EvaluatorName| name.to_possible_value().map(|v| v.get_name().to_owned());
    evaluators.filter_map(name).collect::<Vec<_>>().join(", ")
}
