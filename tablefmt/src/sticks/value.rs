//! What a table says of a position.

/// Who wins with best play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The player to move.
    Win,
    /// The other one.
    Loss,
}

impl Outcome {
    /// The same for the other player.
    #[must_use]
    pub const fn opposite(self) -> Outcome {
        match self {
            Outcome::Win => Outcome::Loss,
            Outcome::Loss => Outcome::Win,
        }
    }

    /// `win` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Win => "win",
            Outcome::Loss => "loss",
        }
    }
}

/// The value of a position: how many moves are made until no stick is left, the last one
/// included, when the winner wants few and the loser many.
///
/// It also says who wins. Whoever is to move when no stick is left has won, because the other
/// one struck the last; so the player to move wins exactly when the number of moves is even.
/// There are at most as many moves as sticks, so a value is one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u8);

impl Value {
    /// The value when no stick is left.
    pub const END: Value = Value(0);

    /// The value of a position in which a move to a position of this value is best.
    pub fn one_move_earlier(self) -> Value {
        Value(self.0.saturating_add(1))
    }

    /// Number of moves until no stick is left.
    pub const fn moves(self) -> u8 {
        self.0
    }

    /// Who wins.
    pub const fn outcome(self) -> Outcome {
        if self.0.is_multiple_of(2) { Outcome::Win } else { Outcome::Loss }
    }
}

/// Finds the value of a position by those of all positions that a move leads to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Best {
    /// The player who is to move after the move loses soonest.
    soonest_loss: Option<Value>,
    /// That player wins latest.
    latest_win: Option<Value>,
}

impl Best {
    /// A move leads to a position of this value.
    pub fn see(&mut self, after: Value) {
        match after.outcome() {
            Outcome::Loss => {
                let soonest = self.soonest_loss.map_or(after, |before| before.min(after));
                self.soonest_loss = Some(soonest);
            }
            Outcome::Win => self.latest_win = self.latest_win.max(Some(after)),
        }
    }

    /// The value, [`Value::END`] if there was no move.
    pub fn value(self) -> Value {
        // The other player's loss is a win.
        let best = self.soonest_loss.or(self.latest_win);
        best.map_or(Value::END, Value::one_move_earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_hurries_and_the_loser_does_not() {
        let before = |after: &[u8]| {
            let mut best = Best::default();
            after.iter().for_each(|&value| best.see(Value(value)));
            best.value().0
        };
        assert_eq!(before(&[]), 0, "no stick is left");
        assert_eq!(before(&[0]), 1, "the last stick has to be struck");
        assert_eq!(before(&[0, 2, 8, 4]), 9, "a loss, as late as can be");
        assert_eq!(before(&[0, 7, 2, 3, 5]), 4, "a win, as soon as can be");
    }
}
