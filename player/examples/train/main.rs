//! Fits the networks of the evaluators to games that they play themselves.
//!
//!     train TABLE STACKS WIDTH CACHE FIRST GAMES OUT [FROM]
//!
//! plays deals FIRST to FIRST + GAMES - 1 of series 1000 at level 0 in rounds, and fits both
//! networks after each: the one that sees a stack table judges all boards, the one that also sees
//! subgames of WIDTH cards the best 8. The first games are played with the table and the subgames
//! alone, or with the networks FROM.plain and FROM.all.
//! OUT.plain and OUT.all get the weights as players read them, CACHE the solved subgames. Each
//! line printed has the games so far, the share won of those of the last rounds that were played
//! without an odd draw, and the cross entropies of both networks.
//!
//! A position teaches the mean, with weights that fall by LAMBDA, of the chances that were given
//! to the positions after it, and the outcome (TD(lambda): Sutton, 1988). In half of the games
//! one draw is played by a random one of the good ways; only what comes after it counts. The
//! network that judges all boards also learns what the other one says of those it judges.

mod fit;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use retrotab_player::fitted::{ALL_FEATURES, FittedEvaluator, PLAIN_FEATURES, Sources};
use retrotab_player::search::{Choice, Player, Settings};
use retrotab_player::staged::StagedEvaluator;
use retrotab_player::subgames::{Rules, Solver, SubgameEvaluator, SubgameOptions};
use retrotab_player::table::{TableEvaluator, Wanted};
use retrotab_player::{Board, Deal, Evaluator, Game, Start};
use retrotab_tablefmt::stack::Rule;

use fit::{BATCH, Fit, Row};

/// Deals of this series are only used for fitting.
const SERIES: u64 = 1000;
/// Assignments that the player keeps.
const KEPT: usize = 30;
/// Boards of a call that the subgames judge.
const JUDGED: usize = 8;
/// Subgames of a pair.
const SAMPLES: usize = 52;
/// Bytes for solved subgames.
const MEMORY: u64 = 4 << 30;
/// Games before the first fit, and of each round after it.
const FIRST: u64 = 3000;
const ROUND: u64 = 300;
/// Rows that are remembered.
const REMEMBERED: usize = 500_000;
/// How often a row is used while it is remembered.
const USES: usize = 6;
/// Weight of the later positions against the next one.
const LAMBDA: f32 = 0.9;
/// Rates of learning at the beginning and at the end.
const RATES: [f32; 2] = [1e-3, 1e-4];
/// One of so many judged boards is remembered.
const TAUGHT: u64 = 60;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, stacks, width, cache, first, games, out, from @ ..] = arguments.as_slice() else {
        return Err("usage: train TABLE STACKS WIDTH CACHE FIRST GAMES OUT [FROM]".into());
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
    let wanted = Wanted { game, rule: Some(Rule::Choice), memory: u64::MAX };
    let table = Arc::new(TableEvaluator::load(Path::new(table), wanted)?);
    let sources = Sources { table, subgames: Some(subgames.clone()) };
    let mut training = Training::new(game, sources, first.parse()?, games.parse()?);
    if let Some(from) = from.first() {
        training.go_on([fs::read(format!("{from}.plain"))?, fs::read(format!("{from}.all"))?])?;
    }
    while training.played < training.games {
        training.round()?;
        if let Some([plain, all]) = &training.fits {
            fs::write(format!("{out}.plain"), plain.to_bytes())?;
            fs::write(format!("{out}.all"), all.to_bytes())?;
        }
    }
    subgames.solver().save(cache)?;
    Ok(())
}

struct Training {
    game: Game,
    sources: Sources,
    first: u64,
    games: u64,
    played: u64,
    /// The rate of learning at the beginning.
    rate: f32,
    /// Rows of the networks without and with subgames, the oldest first.
    rows: [Vec<Row>; 2],
    fits: Option<[Fit; 2]>,
    /// Of each round, the games without an odd draw and how many of them were won.
    results: Vec<[u32; 2]>,
}

/// What a game leaves.
struct Played {
    rows: Vec<Row>,
    won: bool,
    odd: bool,
}

impl Training {
    fn new(game: Game, sources: Sources, first: u64, games: u64) -> Self {
        let (rows, results, rate) = ([Vec::new(), Vec::new()], Vec::new(), RATES[0]);
        Self { game, sources, first, games, played: 0, rate, rows, fits: None, results }
    }

    /// Goes on with networks from their files, more slowly.
    fn go_on(&mut self, [plain, all]: [Vec<u8>; 2]) -> Result<(), Failure> {
        let read = |features, bytes: &[u8]| {
            Fit::from_bytes(features, bytes).ok_or("no weights of such a network")
        };
        self.fits = Some([read(PLAIN_FEATURES, &plain)?, read(ALL_FEATURES, &all)?]);
        self.rate = RATES[0] / 2.0;
        Ok(())
    }

    /// Plays a round and fits.
    fn round(&mut self) -> Result<(), Failure> {
        let count = if self.played == 0 { FIRST } else { ROUND }.min(self.games - self.played);
        let evaluator = self.evaluator()?;
        let games = self.play(&evaluator.staged, count);
        self.played += count;
        let before = self.rows.each_ref().map(Vec::len);
        let mut result = [0; 2];
        for played in games {
            if !played.odd {
                result = [result[0] + 1, result[1] + u32::from(played.won)];
            }
            for (features, target) in played.rows {
                self.rows[0].push((features[..PLAIN_FEATURES].into(), target));
                self.rows[1].push((features, target));
            }
        }
        let judged = std::mem::take(&mut *lock(&evaluator.taught.judged));
        for (board, value) in judged {
            let features = self.sources.describe(&board);
            self.rows[0].push((features[..PLAIN_FEATURES].into(), value.exp()));
        }
        self.results.push(result);
        self.fit(before);
        Ok(())
    }

    fn fit(&mut self, before: [usize; 2]) {
        let first = self.fits.is_none();
        let rows = &mut self.rows;
        let fits = self.fits.get_or_insert_with(|| {
            [Fit::new(PLAIN_FEATURES, &rows[0]), Fit::new(ALL_FEATURES, &rows[1])]
        });
        let done = self.played as f32 / self.games as f32;
        let rate =
            RATES[1] + (self.rate - RATES[1]) * 0.5 * (1.0 + (done * std::f32::consts::PI).cos());
        let mut losses = [0.0; 2];
        for number in 0..2 {
            let new = rows[number].len() - before[number];
            let uses = if first { 4 * USES } else { USES };
            losses[number] = fits[number].steps(&rows[number], new * uses / BATCH, rate);
            let excess = rows[number].len().saturating_sub(REMEMBERED);
            rows[number].drain(..excess);
        }
        let last = &self.results[self.results.len().saturating_sub(10)..];
        let [games, wins] = last.iter().fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
        let share = f64::from(wins) / f64::from(games.max(1));
        println!("{} {share:.4} of {games} {:.4} {:.4}", self.played, losses[0], losses[1]);
    }

    fn evaluator(&self) -> Result<Judges, Failure> {
        let plain = Sources { subgames: None, ..self.sources.clone() };
        let fitted = |sources: Sources, fit: &Fit| -> Result<Arc<dyn Evaluator>, Failure> {
            let fitted = FittedEvaluator::new(sources, &fit.to_bytes());
            Ok(Arc::new(fitted.ok_or("the weights have become infinite")?))
        };
        let (cheap, dear): (Arc<dyn Evaluator>, Arc<dyn Evaluator>) = match &self.fits {
            None => {
                let subgames = self.sources.subgames.clone().ok_or("subgames are needed")?;
                (self.sources.table.clone(), subgames)
            }
            Some([first, second]) => (fitted(plain, first)?, fitted(self.sources.clone(), second)?),
        };
        // What the sampled subgames say is no chance yet, so it teaches nothing.
        let every = if self.fits.is_none() { u64::MAX } else { TAUGHT };
        let (asked, judged) = (AtomicU64::new(1), Mutex::default());
        let taught = Arc::new(Taught { inner: dear, every, asked, judged });
        let staged = StagedEvaluator::new(cheap, taught.clone(), JUDGED);
        Ok(Judges { staged, taught })
    }

    fn play(&self, evaluator: &StagedEvaluator, count: u64) -> Vec<Played> {
        let first = self.first + self.played;
        let (next, last) = (AtomicU64::new(first), first + count);
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        let results = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= last {
                            return;
                        }
                        let played = game_of(evaluator, &self.sources, self.game, number);
                        lock(&results).push(played);
                    }
                });
            }
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The player's judges, and the one whose judgements are remembered.
struct Judges {
    staged: StagedEvaluator,
    taught: Arc<Taught>,
}

/// Remembers some of what an evaluator says.
struct Taught {
    inner: Arc<dyn Evaluator>,
    every: u64,
    asked: AtomicU64,
    judged: Mutex<Vec<(Board, f32)>>,
}

impl Evaluator for Taught {
    fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
        self.inner.evaluate(boards, values);
        for (&board, &value) in boards.iter().zip(&*values) {
            if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every) {
                lock(&self.judged).push((board, value));
            }
        }
    }

    fn pairs(&self, board: &Board) -> Option<[f32; 6]> {
        self.inner.pairs(board)
    }
}

/// The positions of a game that count, with what they teach.
fn game_of(evaluator: &dyn Evaluator, sources: &Sources, game: Game, number: u64) -> Played {
    let settings = Settings::new(0, KEPT).expect("settings in range");
    let deal = Deal::shuffled(game, Start::Stock, SERIES, number);
    let mut random = fastrand::Rng::with_seed(number);
    let odd = random.usize(..2 * deal.cards().len());
    // What is seen of each, and the chance that was given to it.
    let mut positions: Vec<(Box<[f32]>, f32)> = Vec::new();
    let mut player = Player::new(evaluator, settings, Board::start(game, Start::Stock));
    for (draw, &rank) in deal.cards().iter().enumerate() {
        if draw == odd {
            positions.clear();
            let Some(board) = good_way(&player.choices(rank), &mut random) else { break };
            player = Player::new(evaluator, settings, board);
        } else if player.draw(rank).is_none() {
            break;
        }
        let board = &player.boards()[0];
        let mut value = [0.0];
        evaluator.evaluate(std::slice::from_ref(board), &mut value);
        positions.push((sources.describe(board)[..].into(), value[0].exp()));
    }
    let won = player.boards().first().is_some_and(Board::is_won);
    let mut target = f32::from(u8::from(won));
    let mut rows = Vec::new();
    for (features, chance) in positions.into_iter().rev() {
        rows.push((features, target));
        target = LAMBDA * target + (1.0 - LAMBDA) * chance;
    }
    if won {
        // The last position is won for all to see.
        rows.remove(0);
    }
    Played { rows, won, odd: odd < deal.cards().len() }
}

/// A way to play, the better the likelier.
fn good_way(choices: &[Choice], random: &mut fastrand::Rng) -> Option<Board> {
    let best = choices.first()?.value;
    let chances: Vec<f32> = choices.iter().map(|choice| (choice.value - best).exp()).collect();
    let mut at = random.f32() * chances.iter().sum::<f32>();
    let chosen = chances.iter().position(|chance| {
        at -= chance;
        at < 0.0
    });
    Some(choices[chosen.unwrap_or(0)].board)
}
