//! A game as far as a person has played it.

use retrotab_player::search::{Player, assignments, winning_steps};
use retrotab_player::{Deal, Position, Rank, Step};

use crate::play::setup::Table;

/// A line of the hint.
pub struct Hint {
    /// What to do.
    pub steps: Vec<Step>,
    /// What it is worth, as a chance.
    pub value: f32,
}

/// What the player would do.
pub enum Advice {
    /// What can be done, the best first; at least one way.
    Ways(Vec<Hint>),
    /// The game is won.
    Won,
    /// The stock is empty, and no order of moves wins.
    Lost,
    /// Every way that was found is deadlocked.
    NothingFound,
}

/// How the game stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// There is something to do.
    Open,
    /// All cards are built.
    Won,
    /// The stock is empty and nothing moves any more.
    Lost,
}

/// The person's seat at the table.
pub struct Seat<'a> {
    table: &'a Table<'a>,
    /// The cards of the deal and how many have been drawn.
    cards: Vec<Rank>,
    dealt: usize,
    position: Position,
    /// Earlier positions with the cards drawn then.
    history: Vec<(Position, usize)>,
    selected: usize,
    hint: Option<Advice>,
}

impl<'a> Seat<'a> {
    /// At the start of a deal, with the first card drawn.
    pub fn new(table: &'a Table<'a>, deal: &Deal) -> Self {
        let position = Position::start(table.rules.game, table.rules.start);
        let cards = deal.cards().to_vec();
        let mut seat =
            Seat { table, cards, dealt: 0, position, history: Vec::new(), selected: 0, hint: None };
        seat.draw();
        seat
    }

    /// Draws a card when the last one is played.
    fn draw(&mut self) {
        if self.position.drawn().is_some() {
            return;
        }
        let Some(&card) = self.cards.get(self.dealt) else { return };
        // A deal has the cards of the stock, so this cannot fail.
        if self.position.draw(card).is_ok() {
            self.dealt += 1;
        }
    }

    /// What lies on the table.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Which step is selected.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// What can be done.
    pub fn steps(&self) -> Vec<Step> {
        self.position.steps()
    }

    /// The hint, if it is shown.
    pub fn hint(&self) -> Option<&Advice> {
        self.hint.as_ref()
    }

    /// How the game stands.
    pub fn standing(&self) -> Standing {
        match (self.position.is_won(), self.steps().is_empty()) {
            (true, _) => Standing::Won,
            (false, true) => Standing::Lost,
            (false, false) => Standing::Open,
        }
    }

    /// Selects the step after the selected one.
    pub fn select_next(&mut self) {
        self.selected = (self.selected + 1).min(self.steps().len().saturating_sub(1));
    }

    /// Selects the step before the selected one.
    pub fn select_previous(&mut self) {
        self.selected = self.selected.saturating_sub(1);
    }

    /// Makes the selected step.
    pub fn make_selected(&mut self) {
        self.make_number(self.selected + 1);
    }

    /// Makes the step with a number, counted from 1, if there is one.
    pub fn make_number(&mut self, number: usize) {
        let steps = self.steps();
        let Some(&step) = number.checked_sub(1).and_then(|at| steps.get(at)) else { return };
        let before = (self.position.clone(), self.dealt);
        if self.position.make(step).is_ok() {
            self.history.push(before);
            self.selected = 0;
            self.hint = None;
            self.draw();
        }
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        if let Some((position, dealt)) = self.history.pop() {
            (self.position, self.dealt) = (position, dealt);
            self.selected = 0;
            self.hint = None;
        }
    }

    /// Shows what the player would do, or hides it.
    pub fn toggle_hint(&mut self) {
        self.hint = match self.hint {
            Some(_) => None,
            None => Some(self.think()),
        };
    }

    fn think(&self) -> Advice {
        match self.position.drawn() {
            _ if self.position.is_won() => Advice::Won,
            Some(drawn) if self.position.stock() > 0 => self.think_of(drawn),
            // Without chance there is nothing to estimate.
            _ => match winning_steps(&self.position) {
                Some(steps) => Advice::Ways(vec![Hint { steps, value: 1.0 }]),
                None => Advice::Lost,
            },
        }
    }

    fn think_of(&self, drawn: Rank) -> Advice {
        let (evaluator, settings) = (self.table.evaluator, self.table.settings);
        let assigned = assignments(evaluator, settings, &self.position.with_drawn_in_stock());
        let player = Player::with_boards(evaluator, settings, assigned.boards);
        let hints = player.choices(drawn).into_iter().map(|choice| {
            let steps = assigned.steps.iter().chain(&choice.steps).copied().collect();
            Hint { steps, value: choice.value.exp() }
        });
        let hints: Vec<Hint> = hints.collect();
        if hints.is_empty() { Advice::NothingFound } else { Advice::Ways(hints) }
    }
}
