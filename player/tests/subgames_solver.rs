//! The solver's reference values, its memory limit and its cache.

use std::fs;
use std::path::Path;

use retrotab_player::Game;
use retrotab_player::subgames::{Arrangement, Card, Position, Rules, Solver, SubgameError};

fn rules(stacks: usize, chain: usize) -> Rules {
    Rules::new(stacks, chain).unwrap()
}

fn solver(stacks: usize, chain: usize) -> Solver {
    Solver::new(rules(stacks, chain), 1 << 30).unwrap()
}

fn from_start(stacks: usize, chain: usize) -> f64 {
    solver(stacks, chain).value(&Position::start(rules(stacks, chain)))
}

#[test]
fn the_start_has_the_reference_values() {
    let references = [
        (2, 4, 0.906894841),
        (2, 5, 0.689018959),
        (2, 6, 0.425046146),
        (3, 5, 0.980955688),
        (3, 6, 0.911020740),
    ];
    for (stacks, chain, expected) in references {
        let value = from_start(stacks, chain);
        assert!((value - expected).abs() < 1e-6, "{stacks} stacks, {chain} cards: {value}");
    }
}

#[test]
fn choice_makes_games_easier() {
    let plain = rules(3, 5);
    let start = Position::start(plain);
    let value = |rules| Solver::new(rules, 1 << 30).unwrap().value(&start);
    let (chance, choice) = (value(plain), value(plain.with_choice(13)));
    assert!(chance < choice && choice < 1.0, "{chance} {choice}");
    let of = |ranks, stacks, chain| Rules::of_game(Game::new(ranks, stacks).unwrap(), chain);
    assert_eq!(of(13, 3, 5).unwrap(), plain.with_choice(13));
    assert_eq!(of(7, 2, 7).unwrap(), rules(2, 7));
}

#[test]
fn a_longer_limit_changes_no_value() {
    let (short, long) = (solver(2, 5), solver(2, 7));
    let mut cards = Arrangement::new([5, 4]);
    for (stack, lane, index) in [(0, 0, 4), (1, 1, 3), (1, 0, 2), (0, 1, 1)] {
        cards.put(stack, Card::new(lane, index));
    }
    let value = |solver: &Solver| {
        let position = cards.position(solver.rules()).unwrap();
        solver.value(&position.unwrap())
    };
    assert_eq!(value(&short), value(&long));
    assert!(value(&short) > 0.0 && value(&short) < 1.0);
}

#[test]
fn cards_that_do_not_fit_are_refused() {
    let refused = |lens, cards: &[(usize, usize, usize)]| {
        let mut arrangement = Arrangement::new(lens);
        cards.iter().for_each(|&(stack, lane, at)| arrangement.put(stack, Card::new(lane, at)));
        matches!(arrangement.position(rules(2, 5)), Err(SubgameError::Arrangement(2, 5)))
    };
    assert!(refused([6, 3], &[]));
    assert!(refused([3, 3], &[(2, 0, 1)]));
    assert!(refused([3, 3], &[(0, 0, 3)]));
    assert!(refused([3, 3], &[(0, 2, 1)]));
    assert!(refused([3, 3], &[(0, 0, 1), (1, 0, 1)]));
    assert!(!refused([3, 3], &[(0, 0, 1), (1, 1, 1)]));
}

#[test]
fn little_memory_costs_time_but_no_truth() {
    let rules = rules(2, 6);
    let little = Solver::new(rules, 64 << 10).unwrap();
    let start = Position::start(rules);
    assert_eq!(little.value(&start), solver(2, 6).value(&start));
    assert!(little.state().forgetful && little.state().bytes <= 64 << 10);
    let least = Solver::new(rules, 1000).unwrap_err();
    assert!(matches!(least, SubgameError::Memory { allowed: 1000, .. }), "{least}");
}

#[test]
fn many_threads_agree_with_one() {
    let rules = rules(2, 6);
    let start = Position::start(rules);
    let shared = solver(2, 6);
    let values: Vec<f64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| shared.value(&start))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let alone = solver(2, 6);
    let expected = alone.value(&start);
    assert!(values.iter().all(|&value| value == expected), "{values:?}");
    assert_eq!(shared.state().positions, alone.state().positions);
}

fn saved(path: &Path) -> Solver {
    let solver = solver(2, 5);
    solver.value(&Position::start(solver.rules()));
    solver.save(path).unwrap();
    solver
}

#[test]
fn a_cache_brings_everything_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    let solver = saved(&path);
    let again = Solver::load(solver.rules(), 1 << 30, &path).unwrap();
    assert_eq!(again.state().positions, solver.state().positions);
    let start = Position::start(solver.rules());
    assert_eq!(again.value(&start), solver.value(&start));
    // Nothing was missing.
    assert_eq!(again.state().positions, solver.state().positions);
    again.save(&path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn bad_caches_are_refused_by_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    let rules = saved(&path).rules();
    let good = fs::read(&path).unwrap();
    let load = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Solver::load(rules, 1 << 30, &path).unwrap_err()
    };
    for at in [12, 14, 16, 24, good.len() / 2, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let error = load(&bytes);
        assert!(matches!(error, SubgameError::Damaged { .. }), "byte {at}: {error}");
    }
    for len in [24, 50, good.len() - 1] {
        let error = load(&good[..len]);
        assert!(matches!(error, SubgameError::Damaged { .. }), "{len} bytes: {error}");
    }
    for foreign in [&b"not a cache of any kind"[..], b"", b"not a cache, but long enough for it"] {
        assert!(matches!(load(foreign), SubgameError::Foreign(_)));
    }
    let mut newer = good.clone();
    newer[8] = 9;
    assert!(matches!(load(&newer), SubgameError::Version { found: 9, .. }));
    fs::remove_file(&path).unwrap();
    let missing = Solver::load(rules, 1 << 30, &path).unwrap_err();
    assert!(matches!(missing, SubgameError::Missing(_)));
}

#[test]
fn a_cache_with_a_right_digest_but_wrong_contents_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    let rules = saved(&path).rules();
    let good = fs::read(&path).unwrap();
    let load = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good[..good.len() - 32].to_vec();
        change(&mut bytes);
        let digest = blake3::hash(&bytes);
        bytes.extend(digest.as_bytes());
        fs::write(&path, bytes).unwrap();
        Solver::load(rules, 1 << 30, &path).unwrap_err()
    };
    let more = load(&|bytes| bytes[18] += 1);
    assert!(matches!(more, SubgameError::Damaged { .. }), "{more}");
    let fewer = load(&|bytes| bytes[17] -= 1);
    assert!(matches!(fewer, SubgameError::Damaged { .. }), "{fewer}");
    let endless = load(&|bytes| bytes[16..24].fill(255));
    assert!(matches!(endless, SubgameError::TooLarge { .. }), "{endless}");
    let cut = load(&|bytes| bytes.truncate(bytes.len() - 7));
    assert!(matches!(cut, SubgameError::Damaged { .. }), "{cut}");
    let other = load(&|bytes| bytes[12] = 3);
    assert!(matches!(other, SubgameError::OtherRules { found_stacks: 3, .. }), "{other}");
    let draws = load(&|bytes| bytes[14] = 13);
    assert!(matches!(draws, SubgameError::OtherDraws(_)), "{draws}");
}

#[test]
fn a_cache_needs_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    let rules = saved(&path).rules();
    let error = Solver::load(rules, 1000, &path).unwrap_err();
    assert!(matches!(error, SubgameError::TooLarge { allowed: 1000, .. }), "{error}");
}
