//! The evaluator against counts that everybody knows, a naive evaluator, and known pitfalls.

use std::collections::{BTreeMap, BTreeSet};

use retrotab_tablefmt::hands::{
    Card, Category, Evaluator, HandRank, HandsError, OmahaEvaluator, evaluate_best, evaluate_omaha,
    parse_cards,
};

/// What five cards are, written from the rules: category, then ranks that decide.
fn naive(cards: &[Card]) -> (u8, Vec<usize>) {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    cards.iter().for_each(|c| *counts.entry(c.rank().number()).or_default() += 1);
    let mut groups: Vec<(usize, usize)> = counts.iter().map(|(&r, &n)| (n, r)).collect();
    groups.sort();
    groups.reverse();
    let ranks: Vec<usize> = groups.iter().map(|g| g.1).collect();
    let flush = cards.iter().all(|c| c.suit() == cards[0].suit());
    let high = match ranks[..] {
        [12, 3, 2, 1, 0] => Some(3),
        [a, _, _, _, e] if a - e == 4 => Some(a),
        _ => None,
    };
    let high = high.filter(|_| ranks.len() == 5);
    match (groups[0].0, groups.get(1).map_or(0, |g| g.0)) {
        _ if flush && high.is_some() => (8, vec![high.unwrap()]),
        (4, _) => (7, ranks),
        (3, 2) => (6, ranks),
        _ if flush => (5, ranks),
        _ if high.is_some() => (4, vec![high.unwrap()]),
        (3, _) => (3, ranks),
        (2, 2) => (2, ranks),
        (2, _) => (1, ranks),
        _ => (0, ranks),
    }
}

/// All ways to choose `k` of some cards.
fn choices(cards: &[Card], k: usize) -> Vec<Vec<Card>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..cards.len() {
        for mut rest in choices(&cards[i + 1..], k - 1) {
            rest.push(cards[i]);
            all.push(rest);
        }
    }
    all
}

fn naive_best(cards: &[Card]) -> (u8, Vec<usize>) {
    choices(cards, 5).iter().map(|five| naive(five)).max().unwrap()
}

fn naive_omaha(hole: &[Card], board: &[Card]) -> (u8, Vec<usize>) {
    let boards = choices(board, 3);
    let hands = choices(hole, 2);
    let all = hands.iter().flat_map(|h| boards.iter().map(move |b| [&h[..], b].concat()));
    all.map(|five| naive(&five)).max().unwrap()
}

/// What the naive evaluator says of a hand: its category and what decides within it.
type Class = (u8, Vec<usize>);

/// By rank: what the naive evaluator says, over all hands of five cards.
fn all_fives() -> (BTreeMap<u16, Class>, BTreeMap<Category, u32>) {
    let (evaluator, deck) = (Evaluator::get(), Card::all().collect::<Vec<_>>());
    let (mut classes, mut totals) = (BTreeMap::new(), BTreeMap::new());
    for a in 0..52 {
        for b in 0..a {
            for c in 0..b {
                for d in 0..c {
                    for e in 0..d {
                        let cards = [deck[c], deck[a], deck[e], deck[b], deck[d]];
                        let rank = evaluator.five(&cards);
                        *totals.entry(rank.category()).or_default() += 1;
                        // The naive one is slow: every class once, and some hands more often.
                        if (a + 3 * b + 7 * c + d + e) % 41 == 0 || !classes.contains_key(&rank.0) {
                            let class = naive(&cards);
                            assert_eq!(*classes.entry(rank.0).or_insert(class.clone()), class);
                        }
                    }
                }
            }
        }
    }
    (classes, totals)
}

#[test]
fn all_hands_of_five_cards() {
    let (classes, totals) = all_fives();
    let expected = [40, 624, 3744, 5108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540];
    assert_eq!(
        totals.into_iter().collect::<Vec<_>>(),
        Category::ALL.into_iter().zip(expected).collect::<Vec<_>>()
    );
    assert_eq!(expected.iter().sum::<u32>(), 2_598_960);
    assert_eq!(classes.keys().copied().collect::<Vec<_>>(), (1..=7462).collect::<Vec<u16>>());
    // Better ranks are better hands.
    let order: Vec<_> = classes.into_values().collect();
    assert!(order.windows(2).all(|pair| pair[0] > pair[1]));
}

/// Random cards that differ; the seed is printed when a test fails.
struct Deck(u64);

impl Deck {
    fn deal<const N: usize>(&mut self) -> [Card; N] {
        let mut deck: Vec<Card> = Card::all().collect();
        std::array::from_fn(|_| {
            // SplitMix64.
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            deck.swap_remove(((z ^ (z >> 31)) % deck.len() as u64) as usize)
        })
    }
}

#[test]
fn random_hands_of_six_and_seven_cards_and_omaha() {
    let (evaluator, omaha) = (Evaluator::get(), OmahaEvaluator::get());
    let (classes, _) = all_fives();
    let rank_of: BTreeMap<_, u16> =
        classes.into_iter().map(|(rank, class)| (class, rank)).collect();
    let mut deck = Deck(20_240_501);
    for _ in 0..20_000 {
        let cards: [Card; 7] = deck.deal();
        assert_eq!(evaluator.seven(&cards).0, rank_of[&naive_best(&cards)], "{cards:?}");
        let six: [Card; 6] = deck.deal();
        assert_eq!(evaluator.six(&six).0, rank_of[&naive_best(&six)], "{six:?}");
        let nine: [Card; 9] = deck.deal();
        let (hole, board) = (*nine.first_chunk::<4>().unwrap(), *nine.last_chunk::<5>().unwrap());
        let found = omaha.rank(&hole, &board);
        assert_eq!(found.0, rank_of[&naive_omaha(&hole, &board)], "{hole:?} {board:?}");
        let slow = evaluate_omaha(&hole, &board).unwrap();
        assert_eq!((slow.rank, evaluator.five(&slow.best)), (found, found));
    }
}

#[test]
fn many_suited_omaha_hands() {
    // Hands and boards of few suits, so that flushes and straight flushes are frequent.
    let (omaha, mut deck) = (OmahaEvaluator::get(), Deck(7));
    let mut straight_flushes = 0;
    for _ in 0..60_000 {
        let nine: [Card; 9] = deck.deal();
        let few = |c: Card| {
            Card::new(c.rank(), retrotab_tablefmt::hands::Suit::new(c.suit().number() / 2))
        };
        let nine = nine.map(few);
        if nine.iter().collect::<BTreeSet<_>>().len() < 9 {
            continue;
        }
        let (hole, board) = (*nine.first_chunk::<4>().unwrap(), *nine.last_chunk::<5>().unwrap());
        let found = omaha.rank(&hole, &board);
        straight_flushes += u32::from(found.category() == Category::StraightFlush);
        assert_eq!(found, evaluate_omaha(&hole, &board).unwrap().rank, "{hole:?} {board:?}");
    }
    assert!(straight_flushes > 10);
}

fn best(cards: &str) -> (u16, Category, String) {
    let found = evaluate_best(&parse_cards(cards).unwrap()).unwrap();
    (found.rank.0, found.category, found.best.iter().map(Card::to_string).collect())
}

#[test]
fn pitfalls_of_seven_cards() {
    let is =
        |cards, rank, category, five: &str| assert_eq!(best(cards), (rank, category, five.into()));
    is("5h4d3s2cAsKdKh", 1609, Category::Straight, "5h4d3s2cAs");
    is("5h4h3h2hAhKdKh", 10, Category::StraightFlush, "5h4h3h2hAh");
    is("AsKsQsJsTs2d3c", 1, Category::StraightFlush, "AsKsQsJsTs");
    is("QsKsAs2s3s4d9c", 366, Category::Flush, "AsKsQs3s2s");
    is("8s8h8d8cAsKdQc", 83, Category::FourOfAKind, "8s8h8d8cAs");
    // A royal flush on the board and a useless hand.
    assert_eq!(best("AhKhQhJhTh2c3d").0, 1);
    // The better pair of three counts, and the kicker may come from the third.
    assert_eq!(best("AsAhKsKhQsQh2c").2, "AsAhKsKhQs");
    // Two sets of three make a full house of the higher.
    assert_eq!(best("AsAhAdKsKhKd2c").2, "AsAhAdKsKh");
}

#[test]
fn quads_on_the_board_in_omaha() {
    let board = parse_cards("8s8h8d8cKd").unwrap();
    let aces = evaluate_omaha(&parse_cards("AsAh3c4c").unwrap(), &board).unwrap();
    assert_eq!(aces.category, Category::FullHouse, "only three of the board count");
    let eight = evaluate_omaha(&parse_cards("AsQh3c4c").unwrap(), &board).unwrap();
    assert_eq!(eight.category, Category::ThreeOfAKind);
}

#[test]
fn evaluations_of_the_reference() {
    let json = include_str!("reference/hands.json");
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    let evaluations = json["omaha_single_evaluations"].as_array().unwrap();
    assert!(evaluations.len() >= 9);
    for expected in evaluations {
        let cards = |key: &str| parse_cards(expected[key].as_str().unwrap()).unwrap();
        let (hole, board) = (cards("hole"), cards("board"));
        let found = evaluate_omaha(&hole, &board).unwrap();
        assert_eq!(u64::from(found.rank.0), expected["rank_1_is_best"], "{expected}");
        let category = expected["category"].as_str().unwrap().replace('_', " ");
        assert_eq!(found.category.name(), category);
        let one_best = evaluate_best(&cards("one_best_five")).unwrap();
        assert_eq!(one_best.rank, found.rank);
        let (hole, board) = (*hole.first_chunk().unwrap(), *board.first_chunk().unwrap());
        assert_eq!(OmahaEvaluator::get().rank(&hole, &board), found.rank);
    }
}

#[test]
fn what_is_no_hand_is_refused() {
    let cards = |text: &str| parse_cards(text).unwrap();
    let count = |result: Result<_, HandsError>| match result {
        Err(HandsError::Count { got, .. }) => got,
        other => panic!("{other:?}"),
    };
    assert_eq!(count(evaluate_best(&cards("AsKsQsJs"))), 4);
    assert_eq!(count(evaluate_best(&cards("AsKsQsJsTs9s8s7s"))), 8);
    let board = cards("2c3c4c5c6c");
    assert_eq!(count(evaluate_omaha(&cards("AsKs"), &board)), 2);
    assert_eq!(count(evaluate_omaha(&cards("AsKsQsJs"), &board[..4])), 4);
    let twice = evaluate_omaha(&cards("AsKsQsJs"), &cards("As2c3c4c5c"));
    assert!(matches!(twice, Err(HandsError::Duplicate { .. })));
    let doubled = [board[0], board[1], board[2], board[3], board[0]];
    assert!(matches!(evaluate_best(&doubled), Err(HandsError::Duplicate { .. })));
    assert_eq!(HandRank::WORST.category(), Category::HighCard);
}
