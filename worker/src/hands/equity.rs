//! Any number of hands against each other, over all boards that are possible.

use std::ops::AddAssign;

use rayon::prelude::*;
use retrotab_tablefmt::hands::{
    Card, CardSet, Evaluator, Game, HandRank, HandsError, OmahaEvaluator,
};

/// Most players; no more than two cards each would leave five for the board.
pub const MAX_PLAYERS: usize = 23;

/// How each of some hands does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equity {
    /// Number of boards.
    pub boards: u64,
    /// For each hand in order.
    pub shares: Vec<Share>,
}

/// How one hand does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// By number of winners, from one: boards that the hand wins together with as many.
    pub by_winners: Vec<u64>,
}

impl Share {
    /// Boards that it wins alone.
    pub fn wins(&self) -> u64 {
        self.by_winners[0]
    }

    /// Boards that it shares.
    pub fn ties(&self) -> u64 {
        self.by_winners[1..].iter().sum()
    }

    /// Its part of the pots, in boards: a board shared by `n` counts `1/n`.
    pub fn pots(&self) -> f64 {
        self.by_winners.iter().zip(1_u32..).map(|(&boards, n)| boards as f64 / f64::from(n)).sum()
    }
}

/// What makes no sense about hands, board and dead cards.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EquityError {
    /// Cards that are wrong by themselves, or are there twice.
    #[error(transparent)]
    Cards(#[from] HandsError),
    /// One hand, or none.
    #[error("equity is between two or more hands, but {0} was given")]
    TooFewHands(usize),
    /// A board of more than five cards.
    #[error("a board has at most 5 cards, but {0} were given")]
    Board(usize),
    /// Too many hands or dead cards.
    #[error("{left} cards are left in the deck, but the board needs {needed} more")]
    Deck {
        /// Cards that nobody holds.
        left: usize,
        /// Cards that the board lacks.
        needed: usize,
    },
}

/// The cards of a match-up, checked.
struct Deal<'a> {
    game: Game,
    hands: &'a [Vec<Card>],
    board: &'a [Card],
    left: Vec<Card>,
}

/// Compares hands exactly: every board that has the cards of `board` and none of the hands' or
/// `dead`, on the threads of the rayon pool this is called in.
///
/// # Errors
/// [`EquityError`] saying which cards make no sense.
pub fn equity(
    game: Game,
    hands: &[Vec<Card>],
    board: &[Card],
    dead: &[Card],
) -> Result<Equity, EquityError> {
    let deal = Deal::new(game, hands, board, dead)?;
    let needed = 5 - board.len();
    let mut total = Tally::new(hands.len());
    if needed == 0 {
        deal.run(needed, 0, &mut total);
        return Ok(total.equity());
    }
    // One task for each place of the first card that is dealt.
    let firsts = 0..=deal.left.len() - needed;
    let tallies = firsts.into_par_iter().map(|first| {
        let mut tally = Tally::new(hands.len());
        deal.run(needed, first, &mut tally);
        tally
    });
    tallies.collect::<Vec<_>>().into_iter().for_each(|tally| total += tally);
    Ok(total.equity())
}

impl<'a> Deal<'a> {
    fn new(
        game: Game,
        hands: &'a [Vec<Card>],
        board: &'a [Card],
        dead: &[Card],
    ) -> Result<Self, EquityError> {
        if hands.len() < 2 {
            return Err(EquityError::TooFewHands(hands.len()));
        }
        if board.len() > 5 {
            return Err(EquityError::Board(board.len()));
        }
        let mut gone = CardSet::EMPTY;
        for hand in hands {
            let cards = CardSet::of(hand)?;
            game.check_hand(cards)?;
            gone = hand.iter().try_fold(gone, |gone, &card| gone.and(card))?;
        }
        gone = board.iter().chain(dead).try_fold(gone, |gone, &card| gone.and(card))?;
        let left: Vec<Card> = Card::all().filter(|card| !gone.contains(*card)).collect();
        let needed = 5 - board.len();
        if left.len() < needed || hands.len() > MAX_PLAYERS {
            return Err(EquityError::Deck { left: left.len(), needed });
        }
        Ok(Deal { game, hands, board, left })
    }

    /// Every board whose first dealt card is the one at `first` of those left.
    fn run(&self, needed: usize, first: usize, tally: &mut Tally) {
        let mut places: [usize; 5] = std::array::from_fn(|i| first + i);
        let places = &mut places[..needed];
        let mut board = [Card::all().next().expect("a deck has cards"); 5];
        board[needed..].copy_from_slice(self.board);
        loop {
            board.iter_mut().zip(places.iter()).for_each(|(card, &i)| *card = self.left[i]);
            tally.add(self.hands.iter().map(|hand| self.rank(hand, &board)));
            // The next choice of places in order, the first one fixed.
            let end = self.left.len() - needed;
            let Some(moved) = (1..needed).rev().find(|&i| places[i] < end + i) else { return };
            places[moved] += 1;
            (moved + 1..needed).for_each(|i| places[i] = places[i - 1] + 1);
        }
    }

    #[inline]
    fn rank(&self, hand: &[Card], board: &[Card; 5]) -> HandRank {
        let &[a, b, c, d, e] = board;
        match (self.game, hand) {
            (Game::Holdem, &[x, y]) => Evaluator::get().seven(&[x, y, a, b, c, d, e]),
            (Game::Omaha, &[w, x, y, z]) => OmahaEvaluator::get().rank(&[w, x, y, z], board),
            _ => unreachable!("hands have been checked"),
        }
    }
}

/// Counts of boards.
struct Tally {
    boards: u64,
    shares: Vec<Share>,
    ranks: Vec<HandRank>,
}

impl Tally {
    fn new(hands: usize) -> Self {
        let share = Share { by_winners: vec![0; hands] };
        Tally { boards: 0, shares: vec![share; hands], ranks: Vec::with_capacity(hands) }
    }

    #[inline]
    fn add(&mut self, ranks: impl Iterator<Item = HandRank>) {
        self.ranks.clear();
        self.ranks.extend(ranks);
        let best = self.ranks.iter().min().copied();
        let wins = |rank: &&HandRank| Some(**rank) == best;
        let winners = self.ranks.iter().filter(wins).count();
        for (share, rank) in self.shares.iter_mut().zip(&self.ranks) {
            share.by_winners[winners - 1] += u64::from(wins(&rank));
        }
        self.boards += 1;
    }

    fn equity(self) -> Equity {
        Equity { boards: self.boards, shares: self.shares }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.boards += other.boards;
        for (share, other) in self.shares.iter_mut().zip(other.shares) {
            let counts = share.by_winners.iter_mut().zip(other.by_winners);
            counts.for_each(|(count, other)| *count += other);
        }
    }
}
