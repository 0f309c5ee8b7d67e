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

/// Sets of cards in order: `C(a, 1) + C(b, 2) + ...` for ascending cards.
fn place(ascending: &[usize]) -> usize {
    let choose = |n: usize, k: usize| (0..k).fold(1, |c, i| c * (n - i) / (i + 1));
    ascending.iter().zip(1..).map(|(&card, k)| if card < k { 0 } else { choose(card, k) }).sum()
}

fn place_of(mut cards: Vec<usize>) -> usize {
    cards.sort_unstable();
    place(&cards)
}

/// `C(n, k)`, by `k` and `n`.
static CHOOSE: LazyLock<[[usize; 53]; 6]> = LazyLock::new(|| {
    let choose =
        |n: usize, k: usize| if n < k { 0 } else { (0..k).fold(1, |c, i| c * (n - i) / (i + 1)) };
    std::array::from_fn(|k| std::array::from_fn(|n| choose(n, k)))
});

/// The score of every five cards, in order of [`place`].
static SCORES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut scores = Vec::with_capacity(2_598_960);
    for e in 0..52 {
        for d in 0..e {
            for c in 0..d {
                for b in 0..c {
                    for a in 0..b {
                        scores.push(([a, b, c, d, e], score([a, b, c, d, e])));
                    }
                }
            }
        }
    }
    scores.sort_by_key(|(cards, _)| place(cards));
    scores.into_iter().map(|(_, score)| score).collect()
});

fn score_of(cards: &[&[usize]]) -> u32 {
    SCORES[place_of(cards.concat())]
}

/// The best scores of a hand together with some board cards, in order of [`place`]; zero where
/// the hand holds one of them.
struct HandScores {
    /// With three board cards and two of its own.
    three: Vec<u32>,
    /// With four board cards and one of its own; hold'em only.
    four: Vec<u32>,
}

impl HandScores {
    fn new(hand: &[usize]) -> Self {
        let free = |cards: &[usize]| cards.iter().all(|card| !hand.contains(card));
        let mut three = vec![0; CHOOSE[3][52]];
        let mut four = vec![0; if hand.len() == 2 { CHOOSE[4][52] } else { 0 }];
        let pairs: Vec<[usize; 2]> =
            (0..hand.len()).flat_map(|i| (0..i).map(move |j| [hand[j], hand[i]])).collect();
        for c in 0..52 {
            for b in 0..c {
                for a in (0..b).filter(|&a| free(&[a, b, c])) {
                    let best = pairs.iter().map(|pair| score_of(&[&[a, b, c], pair])).max();
                    three[place(&[a, b, c])] = best.unwrap();
                }
            }
        }
        if hand.len() == 2 {
            for d in 0..52 {
                for c in 0..d {
                    for b in 0..c {
                        for a in (0..b).filter(|&a| free(&[a, b, c, d])) {
                            let with = |&own: &usize| score_of(&[&[a, b, c, d], &[own]]);
                            four[place(&[a, b, c, d])] = hand.iter().map(with).max().unwrap();
                        }
                    }
                }
            }
        }
        HandScores { three, four }
    }

    /// The best score on a board of ascending cards.
    fn best(&self, board: [usize; 5]) -> u32 {
        let choose = &*CHOOSE;
        let mut best = 0;
        for i in 0..5 {
            for j in 0..i {
                let mut three = (0..5).filter(|&k| k != i && k != j);
                let place = (1..4).map(|k| choose[k][board[three.next().unwrap()]]).sum::<usize>();
                best = best.max(self.three[place]);
            }
        }
        if !self.four.is_empty() {
            for i in 0..5 {
                let mut four = (0..5).filter(|&k| k != i);
                let place = (1..5).map(|k| choose[k][board[four.next().unwrap()]]).sum::<usize>();
                best = best.max(self.four[place]);
            }
            let all = (1..6).map(|k| choose[k][board[k - 1]]).sum::<usize>();
            best = best.max(SCORES[all]);
        }
        best
    }
}

fn numbers(hand: &[Card]) -> Vec<usize> {
    hand.iter().map(|card| card.number()).collect()
}

/// Two disjoint hands over all boards.
pub fn hand_against_hand(first: &[Card], second: &[Card]) -> Counts {
    let hands = [numbers(first), numbers(second)];
    let [first, second] = hands.each_ref().map(|hand| HandScores::new(hand));
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
        let found: Vec<u32> = scores.iter().map(|scores| scores.best(board)).collect();
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
