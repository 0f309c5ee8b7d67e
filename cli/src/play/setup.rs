//! From what was typed to a game and a player.

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
use retrotab_player::table::{TableEvaluator, Wanted};
use retrotab_player::{Evaluator, Game, Start};
use retrotab_tablefmt::stack::Rule;

use super::memory;
use super::options::{self, evaluators};
use crate::args::{DrawsName, EvaluatorName, GameArgs, ThinkingArgs};
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
        options::check(args)?;
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
/// Cards of each foundation in a subgame, when the user does not say.
const WIDTH: usize = 7;
/// Subgames of each pair of foundations, when the user does not say.
const SAMPLES: usize = 52;
/// Bytes for solved subgames, when the user does not say.
const SUBGAME_MEMORY: u64 = 1 << 30;
/// Weight of the subgames in a sum, when the user does not say.
const WEIGHT: f32 = 0.5;

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
                let weight = args.weight.unwrap_or(WEIGHT);
                if !(0.0..=1.0).contains(&weight) {
                    let text = format!("--weight is a share from 0 to 1, not {weight}");
                    return Err(UserError(text).into());
                }
                let other = self.table(args, game)?;
                let parts: Vec<(f32, Arc<dyn Evaluator>)> =
                    vec![(1.0 - weight, other), (weight, self.subgames(args, game)?)];
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
    let width = args.width.unwrap_or(WIDTH);
    let rules = SubgameRules::new(game.stacks(), width)?;
    let rules = match args.draws {
        None => SubgameRules::of_game(game, width)?,
        Some(DrawsName::Chance) => rules,
        Some(DrawsName::Choice) => rules.with_choice(game.ranks()),
    };
    let memory = args.memory.map_or(SUBGAME_MEMORY, |memory| memory.as_u64());
    let solver = match &args.cache {
        Some(path) if path.exists() => Solver::load(rules, memory, path)?,
        _ => Solver::new(rules, memory)?,
    };
    let options =
        SubgameOptions { samples: args.samples.unwrap_or(SAMPLES), ..SubgameOptions::default() };
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
    let fitted = [EvaluatorName::Fitted, EvaluatorName::FittedSubgames, EvaluatorName::Best];
    let rule = evaluators(args).any(|name| fitted.contains(&name)).then_some(Rule::Choice);
    let memory = memory::available().unwrap_or(u64::MAX);
    Ok(TableEvaluator::load(dir, Wanted { game, rule, memory })?)
}
