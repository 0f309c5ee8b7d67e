//! Plays games and writes what the fitted evaluator sees of their positions, with the outcome.
//!
//!     selfplay TABLE STACKS FIRST COUNT OUT [WEIGHTS]
//!
//! plays the deals FIRST to FIRST + COUNT - 1 of series 1000 at level 0 with the stack table
//! TABLE, or with the weights in the file WEIGHTS. In most games one draw, any one, is played at
//! random among the best few ways; positions count from there on, so that the fit sees also what
//! the player would not do. Each position is written as little-endian 32-bit floats: the features, 1 or
//! 0 for a win or a loss, and the number of the deal.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use retrotab_player::fitted::{Features, FittedEvaluator, Network};
use retrotab_player::search::{Player, Settings};
use retrotab_player::table::TableEvaluator;
use retrotab_player::{Board, Deal, Evaluator, Game, Start};

/// Deals of this series are only used for fitting.
const SERIES: u64 = 1000;
/// Ways among which the odd draw is chosen.
const WAYS: usize = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, stacks, first, count, out, rest @ ..] = arguments.as_slice() else {
        return Err("usage: selfplay TABLE STACKS FIRST COUNT OUT [WEIGHTS]".into());
    };
    let game = Game::new(13, stacks.parse()?)?;
    let fitted = match rest.first() {
        None => None,
        Some(path) => {
            let network = Network::from_bytes(&std::fs::read(path)?).ok_or("not a network")?;
            Some(FittedEvaluator::new(load(table, game)?.into(), network))
        }
    };
    let plain = match fitted {
        None => Some(load(table, game)?),
        Some(_) => None,
    };
    let (evaluator, table): (&dyn Evaluator, &TableEvaluator) = match (&fitted, &plain) {
        (Some(fitted), _) => (fitted, fitted.table()),
        (None, Some(plain)) => (plain, plain),
        (None, None) => return Err("bug: no evaluator".into()),
    };
    let mut out = BufWriter::new(File::create(out)?);
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let mut wins = 0;
    for number in first..first + count {
        let (rows, won) = game_of(evaluator, table, game, number);
        wins += u64::from(won);
        for row in rows {
            let numbers = row.iter().copied().chain([f32::from(u8::from(won)), number as f32]);
            for number in numbers {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        if (number - first + 1) % 1000 == 0 {
            eprintln!("{wins} of {}", number - first + 1);
        }
    }
    out.flush()?;
    eprintln!("{wins} of {count}");
    Ok(())
}

fn load(p: &str, game: Game) -> Result<TableEvaluator, Failure> {
    if p.ends_with(".raw") {
        let spec = retrotab_tablefmt::stack::StackSpec { stacks: (game.stacks() as u8).try_into().unwrap(), cards: 12.try_into().unwrap(), rule: retrotab_tablefmt::stack::Rule::Choice };
        return Ok(TableEvaluator::raw(spec, p));
    }
    Ok(TableEvaluator::load(Path::new(p), game)?)
}

/// The positions of a game that count, and whether it was won.
fn game_of(
    evaluator: &dyn Evaluator,
    table: &TableEvaluator,
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
        rows.push(FittedEvaluator::features(table, &player.boards()[0]));
    }
    let won = player.boards()[0].is_won();
    // The last board is won or lost for all to see.
    rows.pop();
    (rows, won)
}
