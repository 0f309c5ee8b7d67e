//! Hands against hands by plain loops over hands and boards. Only the cards and their notation
//! are shared with the library.

use std::sync::LazyLock;

use retrotab_tablefmt::hands::Card;

/// Boards won, tied and lost by the first hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub win: u64,
    pub tie: u64,
    pub loss: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.win += other.win;
        self.tie += other.tie;
        self.loss += other.loss;
    }
}

/// A number for five cards; greater is better. Category, then ranks by how often they are there.
fn score(cards: [usize; 5]) -> u32 {
    let mut counts = [0_u32; 13];
    cards.iter().for_each(|card| counts[card / 4] += 1);
    let flush = cards.iter().all(|card| card % 4 == cards[0] % 4);
    let mut ranks: Vec<usize> = (0..13).filter(|&r| counts[r] > 0).collect();
    ranks.sort_by_key(|&r| std::cmp::Reverse((counts[r], r)));
    let five_high = ranks == [12, 3, 2, 1, 0];
    let straight = ranks.len() == 5 && (ranks[0] - ranks[4] == 4 || five_high);
    if five_high {
        ranks.rotate_left(1);
    }
    let category = match (counts[ranks[0]], ranks.len()) {
        _ if straight && flush => 8,
        (4, _) => 7,
        (3, 2) => 6,
        _ if flush => 5,
        _ if straight => 4,
        (3, _) => 3,
        (2, 3) => 2,
        (2, _) => 1,
        _ => 0,
    };
    ranks.resize(5, 0);
    ranks.iter().fold(category, |score, &rank| 16 * score + rank as u32)
}

/// `C(n, k)`, by `k` and `n`.
static CHOOSE: LazyLock<[[usize; 53]; 6]> = LazyLock::new(|| {
    let mut choose = [[0; 53]; 6];
    choose[0] = [1; 53];
    for n in 1..53 {
        for k in 1..6 {
            choose[k][n] = choose[k][n - 1] + choose[k - 1][n - 1];
        }
    }
    choose
});

/// Number of a set of ascending cards: `C(a, 1) + C(b, 2) + ...`. In order of these numbers,
/// sets are ordered by their last card, then the one before, and so on.
fn place(ascending: &[usize]) -> usize {
    ascending.iter().zip(&CHOOSE[1..]).map(|(&card, choose)| choose[card]).sum()
}

/// All sets of so many cards, in order of their [`place`].
fn each_set<const N: usize>(mut each: impl FnMut([usize; N])) {
    let mut set: [usize; N] = std::array::from_fn(|i| i);
    loop {
        each(set);
        let room = |i: &usize| set[*i] + 1 < *set.get(i + 1).unwrap_or(&52);
        let Some(i) = (0..N).find(room) else { return };
        set[i] += 1;
        (0..i).for_each(|k| set[k] = k);
    }
}

/// The score of every five cards, in order of [`place`]; numbered without gaps, from one.
static SCORES: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut scores = Vec::with_capacity(2_598_960);
    each_set(|five: [usize; 5]| scores.push(score(five)));
    let mut different = scores.clone();
    different.sort_unstable();
    different.dedup();
    let number = |score: u32| different.binary_search(&score).unwrap() as u16 + 1;
    scores.into_iter().map(number).collect()
});

fn score_of(some: &[usize], others: &[usize]) -> u16 {
    let mut five = [0; 5];
    five[..some.len()].copy_from_slice(some);
    five[some.len()..].copy_from_slice(others);
    five.sort_unstable();
    SCORES[place(&five)]
}

/// The best scores of a hand.
struct HandScores {
    /// Together with four board cards, in order of [`place`]: with three of them and two of its
    /// own, and in hold'em with all four and one of its own. Zero where the hand holds a card.
    four: Vec<u16>,
    /// Whether the board alone counts, as in hold'em.
    board_counts: bool,
}

impl HandScores {
    fn new(hand: &[usize]) -> Self {
        let free = |cards: &[usize]| cards.iter().all(|card| !hand.contains(card));
        let pairs: Vec<[usize; 2]> =
            (0..hand.len()).flat_map(|i| (0..i).map(move |j| [hand[j], hand[i]])).collect();
        let board_counts = hand.len() == 2;
        let mut three = Vec::new();
        each_set(|cards: [usize; 3]| {
            let best = pairs.iter().filter(|_| free(&cards)).map(|two| score_of(&cards, two));
            three.push(best.max().unwrap_or(0));
        });
        let mut four = Vec::new();
        each_set(|cards: [usize; 4]| {
            let [a, b, c, d] = cards;
            let threes = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
            let mut best = threes.iter().map(|cards| three[place(cards)]).max().unwrap();
            if board_counts && free(&cards) {
                let with_one = hand.iter().map(|&own| score_of(&cards, &[own])).max();
                best = best.max(with_one.unwrap());
            }
            four.push(best);
        });
        HandScores { four, board_counts }
    }

    /// The best score on a board of ascending cards.
    fn best(&self, board: [usize; 5]) -> u16 {
        let [a, b, c, d, e] = board;
        let fours = [[a, b, c, d], [a, b, c, e], [a, b, d, e], [a, c, d, e], [b, c, d, e]];
        let best = fours.iter().map(|cards| self.four[place(cards)]).max().unwrap();
        if self.board_counts { best.max(SCORES[place(&board)]) } else { best }
    }
}

fn numbers(hand: &[Card]) -> Vec<usize> {
    hand.iter().map(|card| card.number()).collect()
}

/// Two disjoint hands over all boards.
pub fn hand_against_hand(first: &[Card], second: &[Card]) -> Counts {
    let scores = [first, second].map(|hand| HandScores::new(&numbers(hand)));
    let [one, two] = &scores;
    boards([first, second], [one, two])
}

/// One hand against each of some hands, summed, over all boards.
pub fn hand_against_hands(first: &[Card], others: &[Vec<Card>]) -> Counts {
    let scores = HandScores::new(&numbers(first));
    let mut sum = Counts::default();
    for other in others {
        sum += boards([first, other], [&scores, &HandScores::new(&numbers(other))]);
    }
    sum
}

fn boards(hands: [&[Card]; 2], [first, second]: [&HandScores; 2]) -> Counts {
    let hands = hands.map(numbers);
    let deck: Vec<usize> = (0..52).filter(|card| !hands.concat().contains(card)).collect();
    let mut counts = Counts::default();
    let n = deck.len();
    for e in 0..n {
        for d in 0..e {
            for c in 0..d {
                for b in 0..c {
                    for a in 0..b {
                        let board = [deck[a], deck[b], deck[c], deck[d], deck[e]];
                        match first.best(board).cmp(&second.best(board)) {
                            std::cmp::Ordering::Greater => counts.win += 1,
                            std::cmp::Ordering::Equal => counts.tie += 1,
                            std::cmp::Ordering::Less => counts.loss += 1,
                        }
                    }
                }
            }
        }
    }
    counts
}

/// All hands that a permutation of suits turns `hand` into.
pub fn cluster(hand: &[Card]) -> Vec<Vec<Card>> {
    let mut hands = std::collections::BTreeSet::new();
    for order in 0..256 {
        let to = [order % 4, order / 4 % 4, order / 16 % 4, order / 64];
        if (0..4).all(|s| to.contains(&s)) {
            let deck: Vec<Card> = Card::all().collect();
            let moved = |card: &Card| deck[card.number() / 4 * 4 + to[card.number() % 4]];
            let mut moved: Vec<Card> = hand.iter().map(moved).collect();
            moved.sort_unstable();
            hands.insert(moved);
        }
    }
    hands.into_iter().collect()
}

/// Some hands over all boards that have the given cards and none of the dead ones: for each hand
/// and number of winners, the boards it wins with as many. Slow.
pub fn several(hands: &[Vec<Card>], board: &[Card], dead: &[Card]) -> Vec<Vec<u64>> {
    let scores: Vec<HandScores> = hands.iter().map(|h| HandScores::new(&numbers(h))).collect();
    let gone = numbers(&[&hands.concat()[..], board, dead].concat());
    let given = numbers(board);
    let deck: Vec<usize> = (0..52).filter(|card| !gone.contains(card)).collect();
    let mut counts = vec![vec![0; hands.len()]; hands.len()];
    for chosen in subsets(&deck, 5 - given.len()) {
        let mut board = [given.clone(), chosen].concat();
        board.sort_unstable();
        let board: [usize; 5] = board.try_into().unwrap();
        let found: Vec<u16> = scores.iter().map(|scores| scores.best(board)).collect();
        let best = *found.iter().max().unwrap();
        let winners = found.iter().filter(|&&score| score == best).count();
        for (hand, &score) in found.iter().enumerate() {
            counts[hand][winners - 1] += u64::from(score == best);
        }
    }
    counts
}

fn subsets(cards: &[usize], k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &card) in cards.iter().enumerate() {
        for mut rest in subsets(&cards[i + 1..], k - 1) {
            rest.push(card);
            all.push(rest);
        }
    }
    all
}
