//! From what was typed to a game, a player and deals.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use retrotab_player::fitted::{self, FittedEvaluator, Network, Sources};
use retrotab_player::rollout::RolloutEvaluator;
use retrotab_player::search::Settings;
use retrotab_player::staged::StagedEvaluator;
use retrotab_player::subgames::{Rules as SubgameRules, Solver, SubgameEvaluator, SubgameOptions};
use retrotab_player::sum::SumEvaluator;
use retrotab_player::table::TableEvaluator;
use retrotab_player::{Deal, Evaluator, Game, Start};

use crate::args::{DrawsName, EvaluatorName, GameArgs, PlayArgs, ThinkingArgs};
use crate::failure::UserError;

/// Which game, and how it begins.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub game: Game,
    pub start: Start,
}

/// All that a game needs but the deal.
pub struct Table<'a> {
    pub rules: Rules,
    pub settings: Settings,
    pub evaluator: &'a dyn Evaluator,
}

/// The game asked for.
pub fn rules(args: &GameArgs) -> anyhow::Result<Rules> {
    let game = Game::new(args.ranks, args.stacks).map_err(|e| UserError(e.to_string()))?;
    let start = if args.base { Start::Base } else { Start::Stock };
    Ok(Rules { game, start })
}

/// The player's settings.
pub fn settings(args: &ThinkingArgs) -> anyhow::Result<Settings> {
    Ok(Settings::new(args.level, args.kept).map_err(|e| UserError(e.to_string()))?)
}

/// The evaluator asked for.
pub struct Judge {
    pub evaluator: Arc<dyn Evaluator>,
    makings: Makings,
}

impl Judge {
    /// Makes the evaluator asked for.
    pub fn new(args: &ThinkingArgs, game: Game) -> anyhow::Result<Self> {
        let mut makings = Makings::default();
        let mut evaluator = makings.evaluator(args, game, args.evaluator)?;
        let all = evaluator.clone();
        if args.rollouts > 0 {
            evaluator = Arc::new(RolloutEvaluator::new(evaluator, args.rollouts));
        }
        if let (Some(judged), Some(first)) = (args.judged, args.first) {
            let cheap =
                if first == args.evaluator { all } else { makings.evaluator(args, game, first)? };
            evaluator = Arc::new(StagedEvaluator::new(cheap, evaluator, judged as usize));
        }
        Ok(Self { evaluator, makings })
    }

    /// Writes the solved subgames to their file, if there is one.
    pub fn save(&self, args: &ThinkingArgs) -> anyhow::Result<()> {
        if let (Some(subgames), Some(path)) = (&self.makings.subgames, &args.cache) {
            subgames.solver().save(path)?;
        }
        Ok(())
    }
}

/// Boards of a decision that the strongest evaluator looks at twice.
const BEST_JUDGED: usize = 8;

/// What evaluators are made of, each thing once.
#[derive(Default)]
struct Makings {
    table: Option<Arc<TableEvaluator>>,
    subgames: Option<Arc<SubgameEvaluator>>,
}

impl Makings {
    fn evaluator(
        &mut self,
        args: &ThinkingArgs,
        game: Game,
        name: EvaluatorName,
    ) -> anyhow::Result<Arc<dyn Evaluator>> {
        Ok(match name {
            EvaluatorName::Table => self.table(args, game)?,
            EvaluatorName::Fitted => {
                let sources = Sources { table: self.table(args, game)?, subgames: None };
                fitted(sources, args.weights.as_deref(), fitted::built_in(game).map(|w| w.plain))?
            }
            EvaluatorName::FittedSubgames => {
                let subgames = Some(self.subgames(args, game)?);
                let sources = Sources { table: self.table(args, game)?, subgames };
                let built_in = fitted::built_in(game).map(|w| w.with_subgames);
                fitted(sources, args.subgame_weights.as_deref(), built_in)?
            }
            EvaluatorName::Best => {
                let cheap = self.evaluator(args, game, EvaluatorName::Fitted)?;
                let dear = self.evaluator(args, game, EvaluatorName::FittedSubgames)?;
                Arc::new(StagedEvaluator::new(cheap, dear, BEST_JUDGED))
            }
            EvaluatorName::Subgames => self.subgames(args, game)?,
            EvaluatorName::Sum => {
                if !(0.0..=1.0).contains(&args.weight) {
                    let text = format!("--weight is a share from 0 to 1, not {}", args.weight);
                    return Err(UserError(text).into());
                }
                let other = self.table(args, game)?;
                let parts: Vec<(f32, Arc<dyn Evaluator>)> =
                    vec![(1.0 - args.weight, other), (args.weight, self.subgames(args, game)?)];
                Arc::new(SumEvaluator::new(parts))
            }
        })
    }

    fn table(&mut self, args: &ThinkingArgs, game: Game) -> anyhow::Result<Arc<TableEvaluator>> {
        let made = match &self.table {
            Some(made) => made.clone(),
            None => Arc::new(table(args, game)?),
        };
        self.table = Some(made.clone());
        Ok(made)
    }

    fn subgames(
        &mut self,
        args: &ThinkingArgs,
        game: Game,
    ) -> anyhow::Result<Arc<SubgameEvaluator>> {
        let made = match &self.subgames {
            Some(made) => made.clone(),
            None => Arc::new(subgames(args, game)?),
        };
        self.subgames = Some(made.clone());
        Ok(made)
    }
}

fn subgames(args: &ThinkingArgs, game: Game) -> anyhow::Result<SubgameEvaluator> {
    let rules = SubgameRules::new(game.stacks(), args.width)?;
    let rules = match args.draws {
        None => SubgameRules::of_game(game, args.width)?,
        Some(DrawsName::Chance) => rules,
        Some(DrawsName::Choice) => rules.with_choice(game.ranks()),
    };
    let memory = args.memory.as_u64();
    let solver = match &args.cache {
        Some(path) if path.exists() => Solver::load(rules, memory, path)?,
        _ => Solver::new(rules, memory)?,
    };
    let options = SubgameOptions { samples: args.samples, ..SubgameOptions::default() };
    Ok(SubgameEvaluator::new(game, solver, options)?)
}

/// A fitted evaluator with the weights of a file, or without one those that are built in.
fn fitted(
    sources: Sources,
    file: Option<&Path>,
    built_in: Option<&[u8]>,
) -> anyhow::Result<Arc<dyn Evaluator>> {
    let expected = Network::bytes(sources.features());
    let (weights, what) = match (file, built_in) {
        (Some(path), _) => {
            let read = fs::read(path).with_context(|| format!("{}: cannot read", path.display()));
            (read?, path.display().to_string())
        }
        (None, Some(weights)) => (weights.to_vec(), "bug: the built-in weights".to_owned()),
        (None, None) => {
            let text = "no weights are built in for such a game; name files of them (--weights, \
                        --subgame-weights), or use another evaluator";
            return Err(UserError(text.to_owned()).into());
        }
    };
    let fitted = FittedEvaluator::new(sources, &weights).ok_or_else(|| {
        UserError(format!(
            "{what}: no weights of this evaluator, {expected} bytes of finite numbers"
        ))
    })?;
    Ok(Arc::new(fitted))
}

fn table(args: &ThinkingArgs, game: Game) -> anyhow::Result<TableEvaluator> {
    let Some(dir) = &args.table else {
        let stacks = game.stacks();
        let text = format!(
            "this evaluator needs --table DIR; make one with `retrotab run stack --stacks \
             {stacks} --rule choice --out DIR`"
        );
        return Err(UserError(text).into());
    };
    Ok(TableEvaluator::load(dir, game)?)
}

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
        let (seed, first, count) = (args.seed, args.deal, args.count);
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
    if args.count > 1 {
        deals.truncate(usize::try_from(args.count).unwrap_or(usize::MAX));
    }
    Ok(Deals::Listed { first: args.deal, deals })
}
