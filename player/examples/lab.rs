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
    let spec = retrotab_tablefmt::stack::StackSpec { stacks: stacks.try_into().unwrap(), cards: arg("CARDS", 12u8).try_into().unwrap(), rule: retrotab_tablefmt::stack::Rule::Choice };
    let table = match std::env::var("RAW") {
        Ok(p) => TableEvaluator::raw(spec, &p),
        _ => TableEvaluator::load(std::path::Path::new(&arg("TABLE", String::new())), game).unwrap(),
    };
    eprintln!("loaded {:?}", t.elapsed());
    if let Ok(p) = std::env::var("DUMP") { table.dump(&p); }
    let b = Board::start(game, Start::Stock);
    println!("{:?}", table.pairs(&b).unwrap().map(f32::exp));
    let fitted = std::env::var("NET").ok().map(|p| std::fs::read(p).unwrap()).map(|b| retrotab_player::fitted::Network::from_bytes(&b).unwrap());
    let pairs = table.pairs(&b).unwrap();
    let (plain, fit);
    let evaluator: &dyn Evaluator = match fitted { Some(n) => { fit = retrotab_player::fitted::FittedEvaluator::new(table, n); &fit } None => { plain = table; &plain } };
    let _ = pairs;
    let settings = Settings::new(arg("LEVEL", 0), arg("KEPT", 50)).unwrap();
    let count: u64 = arg("COUNT", 200);
    let seed: u64 = arg("SEED", 1);
    for v in arg("MAPV", "0".to_string()).split(',') {
    println!("variant {v}");
    let mut wins = 0;
    let t = Instant::now();
    let mut outcomes = String::new();
    for number in 0..count {
        let deal = Deal::shuffled(game, Start::Stock, seed, number);
        let won = play(evaluator, settings, (game, Start::Stock), &deal, |_| {}).unwrap().won;
        wins += u64::from(won);
        outcomes.push(if won { '1' } else { '0' });
    }
    let s = t.elapsed().as_secs_f64();
    let p = wins as f64 / count as f64;
    println!("{wins}/{count} = {:.2}% +- {:.2}  {:.4} s/game", 100.0 * p, 196.0 * (p * (1.0 - p) / count as f64).sqrt(), s / count as f64);
    if let Ok(path) = std::env::var("OUT") { std::fs::write(path, outcomes).unwrap(); }
}
}
