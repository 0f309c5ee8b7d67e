//! The rules of Calculation: what really lies on the table, and what may be done with it.

use thiserror::Error;

use crate::game::{Foundation, Game, Rank, Slot};

/// How a game begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Start {
    /// All cards are in the stock.
    #[default]
    Stock,
    /// The first card of each foundation (A 2 3 4) is laid out.
    Base,
}

impl Start {
    /// Cards that each foundation has at the start.
    pub fn laid_out(self) -> usize {
        match self {
            Start::Stock => 0,
            Start::Base => 1,
        }
    }
}

/// Something a player does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The drawn card goes to a foundation.
    Build(Foundation),
    /// The drawn card goes on a stack.
    Put(usize),
    /// The top card of a stack goes to a foundation.
    Move(usize, Foundation),
}

/// Why a step is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StepError {
    /// The last card that was drawn is still in the hand.
    #[error("the drawn card must be played before another one is drawn")]
    Undealt,
    /// No card of the rank is left.
    #[error("no {} is left in the stock", .0.letter())]
    NotInStock(Rank),
    /// There is no drawn card.
    #[error("no card has been drawn")]
    NothingDrawn,
    /// There is no such stack.
    #[error("there is no stack {0}; the stacks are 0 to {last}", last = .1 - 1)]
    NoStack(usize, usize),
    /// The stack has no card.
    #[error("stack {0} is empty")]
    EmptyStack(usize),
    /// The foundation needs another rank.
    #[error("foundation {} does not need a {} now", .0.0, .1.letter())]
    NotNext(Foundation, Rank),
}

/// What lies on the table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Position {
    game: Game,
    built: [u8; Game::FOUNDATIONS],
    stacks: Vec<Vec<Rank>>,
    /// Cards left in the stock, by rank.
    stock: [u8; Game::MAX_RANKS],
    drawn: Option<Rank>,
}

impl Position {
    /// The start of a game.
    pub fn start(game: Game, start: Start) -> Self {
        let built = [start.laid_out() as u8; Game::FOUNDATIONS];
        let mut stock = [0; Game::MAX_RANKS];
        stock[..game.ranks()].fill(Game::FOUNDATIONS as u8);
        for foundation in Foundation::ALL {
            for index in 0..start.laid_out() {
                stock[game.rank(Slot::new(foundation, index)).index()] -= 1;
            }
        }
        Self { game, built, stacks: vec![Vec::new(); game.stacks()], stock, drawn: None }
    }

    /// The position with so many cards built on each foundation, these stacks (bottom first)
    /// and everything else in the stock; `None` when there are not that many cards.
    pub fn of(
        game: Game,
        built: [usize; Game::FOUNDATIONS],
        stacks: Vec<Vec<Rank>>,
    ) -> Option<Self> {
        let mut position = Self::start(game, Start::Stock);
        if stacks.len() != game.stacks() {
            return None;
        }
        for foundation in Foundation::ALL {
            for index in 0..built[foundation.index()] {
                let rank = (index < game.ranks()).then(|| game.rank(Slot::new(foundation, index)));
                position.take(rank?)?;
            }
        }
        for &rank in stacks.iter().flatten() {
            position.take(rank)?;
        }
        position.built = built.map(|built| built as u8);
        position.stacks = stacks;
        Some(position)
    }

    fn take(&mut self, rank: Rank) -> Option<()> {
        let left = self.stock.get_mut(rank.index())?;
        *left = left.checked_sub(1)?;
        Some(())
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Cards on a foundation.
    pub fn built(&self, foundation: Foundation) -> usize {
        usize::from(self.built[foundation.index()])
    }

    /// The stacks, bottom card first.
    pub fn stacks(&self) -> &[Vec<Rank>] {
        &self.stacks
    }

    /// Cards of a rank in the stock.
    pub fn stock_of(&self, rank: Rank) -> usize {
        usize::from(self.stock[rank.index()])
    }

    /// Cards in the stock.
    pub fn stock(&self) -> usize {
        self.stock.iter().map(|&left| usize::from(left)).sum()
    }

    /// The card that has been drawn and not yet played.
    pub fn drawn(&self) -> Option<Rank> {
        self.drawn
    }

    /// The rank that a foundation needs next, or `None` when it is complete.
    pub fn next(&self, foundation: Foundation) -> Option<Rank> {
        let built = self.built(foundation);
        (built < self.game.ranks()).then(|| self.game.rank(Slot::new(foundation, built)))
    }

    /// Whether all cards are built.
    pub fn is_won(&self) -> bool {
        self.built.iter().all(|&built| usize::from(built) == self.game.ranks())
    }

    /// Draws a card.
    ///
    /// # Errors
    /// [`StepError::Undealt`] if a drawn card is not played yet; [`StepError::NotInStock`].
    pub fn draw(&mut self, rank: Rank) -> Result<(), StepError> {
        if self.drawn.is_some() {
            return Err(StepError::Undealt);
        }
        self.take(rank).ok_or(StepError::NotInStock(rank))?;
        self.drawn = Some(rank);
        Ok(())
    }

    /// The position before the last card was drawn, if it has not been played yet; otherwise the
    /// position itself.
    pub fn with_drawn_in_stock(&self) -> Self {
        let mut position = self.clone();
        if let Some(rank) = position.drawn.take() {
            position.stock[rank.index()] += 1;
        }
        position
    }

    /// Makes a step, or says why it is not allowed and changes nothing.
    ///
    /// # Errors
    /// [`StepError::NothingDrawn`], [`StepError::NoStack`], [`StepError::EmptyStack`],
    /// [`StepError::NotNext`].
    pub fn make(&mut self, step: Step) -> Result<(), StepError> {
        match step {
            Step::Build(foundation) => {
                let rank = self.drawn.ok_or(StepError::NothingDrawn)?;
                self.build(foundation, rank)?;
                self.drawn = None;
            }
            Step::Put(stack) => {
                let rank = self.drawn.ok_or(StepError::NothingDrawn)?;
                let count = self.stacks.len();
                let stack = self.stacks.get_mut(stack).ok_or(StepError::NoStack(stack, count))?;
                stack.push(rank);
                self.drawn = None;
            }
            Step::Move(stack, foundation) => {
                let count = self.stacks.len();
                let cards = self.stacks.get(stack).ok_or(StepError::NoStack(stack, count))?;
                let &rank = cards.last().ok_or(StepError::EmptyStack(stack))?;
                self.build(foundation, rank)?;
                self.stacks[stack].pop();
            }
        }
        Ok(())
    }

    fn build(&mut self, foundation: Foundation, rank: Rank) -> Result<(), StepError> {
        if self.next(foundation) != Some(rank) {
            return Err(StepError::NotNext(foundation, rank));
        }
        self.built[foundation.index()] += 1;
        Ok(())
    }

    /// All steps that are allowed now.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(rank) = self.drawn {
            let takes = |&f: &Foundation| self.next(f) == Some(rank);
            steps.extend(Foundation::ALL.into_iter().filter(takes).map(Step::Build));
            steps.extend((0..self.stacks.len()).map(Step::Put));
        }
        for (number, stack) in self.stacks.iter().enumerate() {
            let Some(&top) = stack.last() else { continue };
            let takes = |&f: &Foundation| self.next(f) == Some(top);
            let moves = Foundation::ALL.into_iter().filter(takes);
            steps.extend(moves.map(|foundation| Step::Move(number, foundation)));
        }
        steps
    }
}
