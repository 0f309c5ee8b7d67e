//! Experiments (not kept). CONF=name:kept:level:evaluator:arg,...
use retrotab_player::fitted::*;
use retrotab_player::rollout::*;
use retrotab_player::search::*;
use retrotab_player::staged::*;
use retrotab_player::subgames::{Rules as SR, *};
use retrotab_player::sum::*;
use retrotab_player::table::*;
use retrotab_player::*;
use std::sync::Arc;
use std::time::Instant;
fn arg<T: std::str::FromStr>(name: &str, d: T) -> T {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(d)
}
fn main() {
    let stacks: u8 = arg("STACKS", 3);
    let game = Game::new(arg("RANKS", 13), stacks).unwrap();
    let spec = retrotab_tablefmt::stack::StackSpec {
        stacks: stacks.try_into().unwrap(),
        cards: arg("CARDS", 12u8).try_into().unwrap(),
        rule: retrotab_tablefmt::stack::Rule::Choice,
    };
    let table: Option<Arc<TableEvaluator>> = std::env::var("RAW").ok().map(|p| {
        Arc::new(if p.ends_with("raw") {
            TableEvaluator::raw(spec, &p)
        } else {
            TableEvaluator::load(std::path::Path::new(&p), game).unwrap()
        })
    });
    if let (Ok(p), Some(t)) = (std::env::var("DUMP"), &table) {
        t.dump(&p);
    }
    let (count, seed, first): (u64, u64, u64) =
        (arg("COUNT", 200), arg("SEED", 1), arg("FIRST", 0));
    let mut solvers: std::collections::HashMap<String, Arc<SubgameEvaluator>> = Default::default();
    let mut base: Option<Vec<bool>> = None;
    for conf in arg("CONF", "50:0:table".to_string()).split(',') {
        let f: Vec<&str> = conf.split(':').collect();
        let settings = Settings::new(f[1].parse().unwrap(), f[0].parse().unwrap()).unwrap();
        let mut stack: Vec<Arc<dyn Evaluator>> = Vec::new();
        for word in &f[2..] {
            let (name, n) = word.split_once('=').unwrap_or((word, ""));
            match name {
                "table" => stack.push(table.clone().unwrap()),
                "fit" => stack.push(Arc::new(
                    FittedEvaluator::new(
                        Sources { table: table.clone().unwrap(), subgames: None },
                        &std::fs::read(n).unwrap(),
                    )
                    .unwrap(),
                )),
                "all" => {
                    stack.pop();
                    let e = solvers.values().next().unwrap().clone();
                    stack.push(Arc::new(
                        FittedEvaluator::new(
                            Sources { table: table.clone().unwrap(), subgames: Some(e) },
                            &std::fs::read(n).unwrap(),
                        )
                        .unwrap(),
                    ))
                }
                "sub" => {
                    let e = solvers.entry(n.to_string()).or_insert_with(|| {
                        let q: Vec<f32> = n.split('/').map(|x| x.parse().unwrap()).collect();
                        let rules = SR::new(game.stacks(), q[0] as usize).unwrap();
                        let path = format!("/tmp/fit/cache{}-{}", stacks, q[0]);
                        let mem = arg("MEM", 3u64) << 30;
                        let solver = if std::path::Path::new(&path).exists() {
                            Solver::load(rules, mem, path.as_ref()).unwrap()
                        } else {
                            Solver::new(rules, mem).unwrap()
                        };
                        let mut o = SubgameOptions { samples: q[1] as usize, ..Default::default() };
                        if q.len() > 2 {
                            o.exponent = q[2];
                        }
                        Arc::new(SubgameEvaluator::new(game, solver, o).unwrap())
                    });
                    stack.push(e.clone());
                }
                "sum" => {
                    let w: f32 = n.parse().unwrap();
                    let b = stack.pop().unwrap();
                    let a = stack.pop().unwrap();
                    stack.push(Arc::new(SumEvaluator::new(vec![(1.0 - w, a), (w, b)])));
                }
                "roll" => {
                    let b = stack.pop().unwrap();
                    stack.push(Arc::new(RolloutEvaluator::new(b, n.parse().unwrap())));
                }
                "stage" => {
                    let b = stack.pop().unwrap();
                    let a = stack.pop().unwrap();
                    stack.push(Arc::new(StagedEvaluator::new(a, b, n.parse().unwrap())));
                }
                "dup" => {
                    let b = stack.last().unwrap().clone();
                    stack.push(b);
                }
                _ => panic!("{word}"),
            }
        }
        let evaluator = stack.pop().unwrap();
        let t = Instant::now();
        let mut won = Vec::new();
        for number in first..first + count {
            let deal = Deal::shuffled(game, Start::Stock, seed, number);
            won.push(
                play(evaluator.as_ref(), settings, (game, Start::Stock), &deal, |_| {})
                    .unwrap()
                    .won,
            );
            let n = won.len();
            if n % 50 == 0 {
                eprintln!(
                    "{conf}: {}/{n} {:.3}",
                    won.iter().filter(|w| **w).count(),
                    t.elapsed().as_secs_f64() / n as f64
                );
            }
        }
        let s = t.elapsed().as_secs_f64();
        let wins = won.iter().filter(|w| **w).count();
        let p = wins as f64 / count as f64;
        print!(
            "{conf}: {wins}/{count} = {:.2}% +- {:.2}  {:.4} s/game",
            100.0 * p,
            196.0 * (p * (1.0 - p) / count as f64).sqrt(),
            s / count as f64
        );
        match &base {
            None => {
                println!();
                base = Some(won)
            }
            Some(b) => println!(
                "  +{} -{}",
                won.iter().zip(b).filter(|(a, b)| **a && !**b).count(),
                won.iter().zip(b).filter(|(a, b)| !**a && **b).count()
            ),
        }
        for (n, e) in &solvers {
            let p = format!("/tmp/fit/cache{}-{}", stacks, n.split('/').next().unwrap());
            if std::env::var("SAVE").is_ok() {
                e.solver().save(p.as_ref()).unwrap();
            }
            eprintln!("{n}: {:?}", e.solver().state());
        }
    }
}
