//! Random positions, the same ones for the same seed.

use fastrand::Rng;

use super::raw::{Card, Lane, Raw};

/// How large random positions are.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of stacks.
    pub stacks: u8,
    /// Most cards of a lane.
    pub cards: usize,
    /// Most stock cards of both lanes together; it bounds the oracle's work.
    pub stock: usize,
}

/// The seed of a run: `RETROTAB_TEST_SEED`, or always the same. It is printed, so that a
/// failure can be repeated.
pub fn seed() -> u64 {
    let given = std::env::var("RETROTAB_TEST_SEED").ok();
    let seed = given.map_or(20_241, |text| text.parse().expect("RETROTAB_TEST_SEED is a number"));
    println!("RETROTAB_TEST_SEED={seed}");
    seed
}

/// A random position. No card is on a stack that its lane has already reached.
pub fn random_raw(rng: &mut Rng, size: Size) -> Raw {
    let stock = rng.usize(0..=size.stock.min(2 * size.cards));
    let least = stock.saturating_sub(size.cards);
    let in_a = rng.usize(least..=stock - least);
    Raw { lanes: [in_a, stock - in_a].map(|stock| random_lane(rng, size, stock)) }
}

fn random_lane(rng: &mut Rng, size: Size, stock: usize) -> Lane {
    if stock == 0 {
        return Lane::new();
    }
    let on_stacks = rng.usize(0..=size.cards - stock);
    let mut rest = vec![Card::Stock; stock - 1];
    rest.extend((0..on_stacks).map(|_| Card::On(rng.u8(0..size.stacks))));
    rng.shuffle(&mut rest);
    [vec![Card::Stock], rest].concat()
}
