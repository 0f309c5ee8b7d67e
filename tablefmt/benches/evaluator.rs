//! Evaluations per second on cards in random order, beside two well-known crates. Each is given
//! its own card type beforehand; the time is from cards to rank. Prints the ratios.

use std::hint::black_box;
use std::time::{Duration, Instant};

use aya_poker::base::{CARDS, Card as AyaCard, Hand as AyaHand, Rank as AyaRank, Suit as AyaSuit};
use retrotab_tablefmt::hands::{Card, Evaluator, OmahaEvaluator};
use rs_poker::core::{
    Card as RsCard, CardBitSet, FlatHand, Hand as RsHand, Rankable, Suit as RsSuit, Value,
};
use rs_poker::omaha::OmahaHand;

/// Hands in one round.
const HANDS: usize = 100_000;
/// Rounds; the fastest counts.
const ROUNDS: usize = 25;

/// `N` different cards each, in random order.
fn deal<const N: usize>(seed: u64) -> Vec<[Card; N]> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut deck: Vec<Card> = Card::all().collect();
    let mut hand = || {
        for i in 0..N {
            deck.swap(i, random.usize(i..52));
        }
        *deck.first_chunk().expect("52 cards")
    };
    (0..HANDS).map(|_| hand()).collect()
}

fn aya(card: Card) -> AyaCard {
    use AyaRank::{Ace, Eight, Five, Four, Jack, King, Nine, Queen, Seven, Six, Ten, Three, Two};
    let ranks = [Two, Three, Four, Five, Six, Seven, Eight, Nine, Ten, Jack, Queen, King, Ace];
    let suits = [AyaSuit::Spades, AyaSuit::Hearts, AyaSuit::Diamonds, AyaSuit::Clubs];
    let (rank, suit) = (card.rank().number(), card.suit().number());
    let rank = ranks.into_iter().nth(rank).expect("13 ranks");
    let found = AyaCard::new(rank, suits.into_iter().nth(suit).expect("4 suits"));
    assert!(CARDS.contains(&found));
    found
}

fn rs(card: Card) -> RsCard {
    let suits = [RsSuit::Spade, RsSuit::Heart, RsSuit::Diamond, RsSuit::Club];
    let value = Value::from_u8(card.rank().number() as u8);
    RsCard { value, suit: suits[card.suit().number()] }
}

/// Million hands a second.
fn rate<T, R>(hands: &[T], mut evaluate: impl FnMut(&T) -> R) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for hand in hands {
            black_box(evaluate(black_box(hand)));
        }
        best = best.min(start.elapsed());
    }
    hands.len() as f64 / best.as_secs_f64() / 1e6
}

fn report(name: &str, ours: f64, others: &[(&str, f64)]) {
    print!("{name:8} retrotab {ours:7.1} M/s");
    for (other, theirs) in others {
        print!("   {other} {theirs:7.1} M/s (ratio {:.2})", ours / theirs);
    }
    println!();
}

fn cards<const N: usize>(name: &str, ours: impl Fn(&[Card; N]) -> u16) {
    let hands: Vec<[Card; N]> = deal(N as u64);
    let aya_hands: Vec<[AyaCard; N]> = hands.iter().map(|h| h.map(aya)).collect();
    let rs_hands: Vec<[RsCard; N]> = hands.iter().map(|h| h.map(rs)).collect();
    let ours = rate(&hands, &ours);
    let aya = rate(&aya_hands, |hand| {
        let mut cards = AyaHand::new();
        hand.iter().for_each(|card| cards.insert_unchecked(card));
        aya_poker::poker_rank(&cards)
    });
    let flat: Vec<FlatHand> =
        rs_hands.iter().map(|h| FlatHand::new_with_cards(h.to_vec())).collect();
    // The type that is made beforehand and only ranked, and the one made of cards.
    let rs_flat = rate(&flat, |hand| hand.rank());
    let rs_bits = rate(&rs_hands, |hand| {
        let mut cards = RsHand::new();
        hand.iter().for_each(|&card| {
            cards.insert(card);
        });
        cards.rank()
    });
    report(name, ours, &[("aya_poker", aya), ("rs_poker", rs_flat.max(rs_bits))]);
}

fn omaha() {
    let hands: Vec<[Card; 9]> = deal(9);
    let evaluator = OmahaEvaluator::get();
    let split = |hand: &[Card; 9]| -> ([Card; 4], [Card; 5]) {
        (std::array::from_fn(|i| hand[i]), std::array::from_fn(|i| hand[4 + i]))
    };
    let ours: Vec<_> = hands.iter().map(split).collect();
    let ours = rate(&ours, |(hole, board)| evaluator.rank(hole, board));
    let aya_hands: Vec<[AyaCard; 9]> = hands.iter().map(|h| h.map(aya)).collect();
    let aya = rate(&aya_hands, |cards| {
        let (mut hole, mut board) = (AyaHand::new(), AyaHand::new());
        cards[..4].iter().for_each(|card| hole.insert_unchecked(card));
        cards[4..].iter().for_each(|card| board.insert_unchecked(card));
        aya_poker::omaha_rank(&hole, &board)
    });
    let rs_hands: Vec<[RsCard; 9]> = hands.iter().map(|h| h.map(rs)).collect();
    let rs = rate(&rs_hands, |cards| {
        let (mut hole, mut board) = (CardBitSet::new(), CardBitSet::new());
        cards[..4].iter().for_each(|&card| hole.insert(card));
        cards[4..].iter().for_each(|&card| board.insert(card));
        OmahaHand::new(hole, board).map(|hand| hand.rank())
    });
    report("omaha", ours, &[("aya_poker", aya), ("rs_poker", rs)]);
}

fn main() {
    let evaluator = Evaluator::get();
    cards::<5>("5 cards", |hand| evaluator.five(hand).0);
    cards::<7>("7 cards", |hand| evaluator.seven(hand).0);
    omaha();
}
