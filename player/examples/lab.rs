//! Experiments (not kept).
use std::time::Instant;
use retrotab_player::search::*;
use retrotab_player::table::*;
use retrotab_player::*;
fn arg<T: std::str::FromStr>(name: &str, d: T) -> T {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(d)
}
fn main() {
    let stacks: u8 = arg("STACKS", 3);
    let ranks: u8 = arg("RANKS", 13);
    let game = Game::new(ranks, stacks).unwrap();
    let t = Instant::now();
    let table = TableEvaluator::load(std::path::Path::new(&arg("TABLE", String::new())), game).unwrap();
    eprintln!("loaded {:?}", t.elapsed());
    let settings = Settings::new(arg("LEVEL", 0), arg("KEPT", 50)).unwrap();
    let count: u64 = arg("COUNT", 200);
    let seed: u64 = arg("SEED", 1);
    let mut wins = 0;
    let t = Instant::now();
    let mut outcomes = String::new();
    for number in 0..count {
        let deal = Deal::shuffled(game, Start::Stock, seed, number);
        let won = play(&table, settings, (game, Start::Stock), &deal, |_| {}).unwrap().won;
        wins += u64::from(won);
        outcomes.push(if won { '1' } else { '0' });
    }
    let s = t.elapsed().as_secs_f64();
    let p = wins as f64 / count as f64;
    println!("{wins}/{count} = {:.2}% +- {:.2}  {:.4} s/game", 100.0 * p, 196.0 * (p * (1.0 - p) / count as f64).sqrt(), s / count as f64);
    if let Ok(path) = std::env::var("OUT") { std::fs::write(path, outcomes).unwrap(); }
}
