//! Plays games and writes what the fitted evaluators see of their positions, with the outcome.
//!
//!     selfplay TABLE STACKS WIDTH CACHE FIRST COUNT OUT PLAIN [ALL]
//!
//! plays the deals FIRST to FIRST + COUNT - 1 of series 1000 at level 0. All boards are judged by
//! the stack table TABLE with the weights PLAIN (or `-`: by the table alone), the best 8 by
//! subgames of WIDTH cards, solved ones from the file CACHE, with the weights ALL if they are
//! given. In most games one draw, any one, is played at random among the best few ways; positions
//! count from there on, so that the fit sees also what the player would not do. Each position is
//! written as little-endian 32-bit floats: the features, 1 or 0 for a win or a loss, and the
//! number of the deal.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use retrotab_player::fitted::{Features, FittedEvaluator, Sources};
use retrotab_player::search::{Player, Settings};
use retrotab_player::staged::StagedEvaluator;
use retrotab_player::subgames::{Rules, Solver, SubgameEvaluator, SubgameOptions};
use retrotab_player::table::TableEvaluator;
use retrotab_player::{Board, Deal, Evaluator, Game, Start};

/// Deals of this series are only used for fitting.
const SERIES: u64 = 1000;
/// Ways among which the odd draw is chosen.
const WAYS: usize = 5;
/// Boards of a call that the subgames judge.
const JUDGED: usize = 8;
/// Subgames of a pair.
const SAMPLES: usize = 52;
/// Bytes for solved subgames.
const MEMORY: u64 = 3 << 30;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, stacks, width, cache, first, count, out, plain, all @ ..] = arguments.as_slice()
    else {
        return Err("usage: selfplay TABLE STACKS WIDTH CACHE FIRST COUNT OUT PLAIN [ALL]".into());
    };
    let game = Game::new(13, stacks.parse()?)?;
    let rules = Rules::new(game.stacks(), width.parse()?)?.with_choice(game.ranks());
    let cache = Path::new(cache);
    let solver = if cache.exists() {
        Solver::load(rules, MEMORY, cache)?
    } else {
        Solver::new(rules, MEMORY)?
    };
    let options = SubgameOptions { samples: SAMPLES, ..SubgameOptions::default() };
    let subgames = Arc::new(SubgameEvaluator::new(game, solver, options)?);
    let table = Arc::new(TableEvaluator::load(Path::new(table), game)?);
    let sources = Sources { table: table.clone(), subgames: Some(subgames.clone()) };
    let cheap: Arc<dyn Evaluator> = match plain.as_str() {
        "-" => table.clone(),
        path => fitted(Sources { subgames: None, ..sources.clone() }, path)?,
    };
    let dear: Arc<dyn Evaluator> = match all.first() {
        None => subgames,
        Some(path) => fitted(sources.clone(), path)?,
    };
    let evaluator = StagedEvaluator::new(cheap, dear, JUDGED);
    let mut out = BufWriter::new(File::create(out)?);
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let mut wins = 0;
    for number in first..first + count {
        let (rows, won) = game_of(&evaluator, &sources, game, number);
        wins += u64::from(won);
        for row in rows {
            let numbers = row.iter().copied().chain([f32::from(u8::from(won)), number as f32]);
            for number in numbers {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        if (number - first + 1) % 500 == 0 {
            eprintln!("{wins} of {}", number - first + 1);
        }
    }
    out.flush()?;
    eprintln!("{wins} of {count}");
    Ok(())
}

fn fitted(sources: Sources, path: &str) -> Result<Arc<dyn Evaluator>, Failure> {
    let fitted = FittedEvaluator::new(sources, &std::fs::read(path)?);
    Ok(Arc::new(fitted.ok_or_else(|| format!("{path}: no weights of such a network"))?))
}

/// The positions of a game that count, and whether it was won.
fn game_of(
    evaluator: &dyn Evaluator,
    sources: &Sources,
    game: Game,
    number: u64,
) -> (Vec<Features>, bool) {
    let settings = Settings::new(0, 30).expect("settings in range");
    let deal = Deal::shuffled(game, Start::Stock, SERIES, number);
    let mut random = fastrand::Rng::with_seed(number);
    let odd = random.usize(..deal.cards().len() + 10);
    let mut rows = Vec::new();
    let mut player = Player::new(evaluator, settings, Board::start(game, Start::Stock));
    for (draw, &rank) in deal.cards().iter().enumerate() {
        if draw == odd {
            rows.clear();
            let choices = player.choices(rank);
            let some = choices.len().min(WAYS);
            if some == 0 {
                return (rows, false);
            }
            let board = choices[random.usize(..some)].board;
            player = Player::new(evaluator, settings, board);
        } else if player.draw(rank).is_none() {
            return (rows, false);
        }
        rows.push(sources.describe(&player.boards()[0]));
    }
    let won = player.boards()[0].is_won();
    // The last board is won or lost for all to see.
    rows.pop();
    (rows, won)
}
