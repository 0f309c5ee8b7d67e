//! The tile method against plain loops over hands and boards, on random hands.

mod brute;

use retrotab_tablefmt::hands::{
    Card, CardSet, Cell, CellCounts, CellIndex, Clusters, Game, RowBlocks,
};
use retrotab_worker::hands::{HandsUnits, equity, hand_against_hand};
use retrotab_worker::stack::Isa;

fn seed() -> u64 {
    let seed = std::env::var("HANDS_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("HANDS_SEED={seed}");
    seed
}

fn deal(random: &mut fastrand::Rng, cards: usize) -> Vec<Card> {
    let mut deck: Vec<Card> = Card::all().collect();
    random.shuffle(&mut deck);
    deck.truncate(cards);
    deck
}

/// Two hands that share ranks and suits more often than random ones.
fn two_hands(random: &mut fastrand::Rng, game: Game) -> [Vec<Card>; 2] {
    let cards = game.hole_cards();
    let mut deck: Vec<Card> = Card::all().collect();
    random.shuffle(&mut deck);
    let (low, width) = (random.usize(0..8), random.usize(5..14));
    let suits = random.usize(2..5);
    let near = |card: &Card| {
        (low..low + width).contains(&card.rank().number()) && card.suit().number() < suits
    };
    deck.sort_by_key(|card| !near(card));
    [deck[..cards].to_vec(), deck[cards..2 * cards].to_vec()]
}

fn pairs_agree(game: Game) {
    let mut random = fastrand::Rng::with_seed(seed());
    for round in 0..44 {
        let [first, second] = match round % 2 {
            0 => two_hands(&mut random, game),
            _ => {
                let all = deal(&mut random, 2 * game.hole_cards());
                [0, 1].map(|i| all[i * game.hole_cards()..][..game.hole_cards()].to_vec())
            }
        };
        let expected = brute::hand_against_hand(&first, &second);
        let sets = [&first, &second].map(|hand| CardSet::of(hand).unwrap());
        for isa in [Isa::Portable, Isa::detect()] {
            let found = hand_against_hand(game, sets, isa).unwrap();
            let found = (u64::from(found.win), u64::from(found.tie), u64::from(found.loss));
            let expected = (expected.win, expected.tie, expected.loss);
            assert_eq!(found, expected, "{first:?} {second:?} {isa:?}");
        }
        if round % 8 == 0 {
            let found = equity(game, &[first.clone(), second.clone()], &[], &[]).unwrap();
            let [one, two] = [0, 1].map(|i| found.shares[i].clone());
            assert_eq!(
                (one.wins(), one.ties(), two.wins()),
                (expected.win, expected.tie, expected.loss)
            );
            assert_eq!(found.boards, u64::from(game.boards()));
        }
    }
}

#[test]
fn random_holdem_hands() {
    pairs_agree(Game::Holdem);
}

#[test]
fn random_omaha_hands() {
    pairs_agree(Game::Omaha);
}

/// The cell of two clusters as a unit solver works it out.
fn solved(units: &mut HandsUnits, clusters: &Clusters, cell: Cell) -> CellCounts {
    let entry = CellIndex::new(clusters).entry(cell);
    let sections = RowBlocks::all(clusters);
    let section = sections.iter().position(|s| s.cells(clusters).contains(&entry)).unwrap();
    let first = entry - sections[section].cells(clusters).start;
    let found = units.solve(section, first..first + 1, &()).unwrap();
    let boards = clusters.game().boards();
    CellCounts::from_stored(found.win()[0], found.tie()[0], found.placements()[0], boards).unwrap()
}

fn cells_agree(game: Game) {
    let mut random = fastrand::Rng::with_seed(seed());
    let clusters = Clusters::get(game);
    let mut units = HandsUnits::new(game, Isa::detect());
    for _ in 0..10 {
        let [first, second] = two_hands(&mut random, game);
        let ids = [&first, &second].map(|hand| clusters.id_of_cards(hand).unwrap());
        let cell = Cell::of(ids[0], ids[1]);
        let fixed: Vec<Card> = clusters.cluster(cell.row).representative().cards().collect();
        let other: Vec<Card> = clusters.cluster(cell.column).representative().cards().collect();
        let mut hands = brute::cluster(&other);
        hands.retain(|hand| hand.iter().all(|card| !fixed.contains(card)));
        let placements = hands.len() as u64;
        let counts = brute::hand_against_hands(&fixed, &hands);
        let brute::Counts { win, tie, loss } = counts;
        let expected = CellCounts { win, tie, loss, placements };
        assert_eq!(solved(&mut units, clusters, cell), expected, "{first:?} {second:?}");
    }
}

#[test]
fn random_holdem_cells() {
    cells_agree(Game::Holdem);
}

#[test]
fn random_omaha_cells() {
    cells_agree(Game::Omaha);
}

#[test]
fn several_hands_with_board_and_dead_cards() {
    let mut random = fastrand::Rng::with_seed(seed());
    for (game, players, board, dead) in [
        (Game::Holdem, 3, 3, 2),
        (Game::Holdem, 5, 4, 0),
        (Game::Holdem, 2, 5, 1),
        (Game::Omaha, 3, 3, 5),
        (Game::Omaha, 4, 4, 3),
        (Game::Omaha, 2, 2, 0),
        (Game::Omaha, 3, 5, 0),
    ] {
        let size = game.hole_cards();
        let cards = deal(&mut random, players * size + board + dead);
        let hands: Vec<Vec<Card>> =
            cards.chunks(size).take(players).map(<[Card]>::to_vec).collect();
        let (board, dead) = cards[players * size..].split_at(board);
        let found = equity(game, &hands, board, dead).unwrap();
        let expected = brute::several(&hands, board, dead);
        for (share, expected) in found.shares.iter().zip(&expected) {
            assert_eq!(share.by_winners, *expected, "{hands:?} {board:?} {dead:?}");
        }
        let pots: f64 = found.shares.iter().map(|share| share.pots()).sum();
        assert!((pots - found.boards as f64).abs() < 1e-6);
    }
}
