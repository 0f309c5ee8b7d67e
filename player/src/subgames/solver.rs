//! Exact values of the two-foundation game, worked out when they are asked for.

use std::sync::{PoisonError, RwLock};

use super::error::SubgameError;
use super::expansion::Expansion;
use super::memo::{Full, Memo, Value};
use super::position::Position;
use super::rules::Rules;

/// Solves positions and remembers them. Many threads may ask at once; the values do not depend
/// on who asked for what before.
#[derive(Debug)]
pub struct Solver {
    rules: Rules,
    memory: u64,
    memo: RwLock<Memo>,
}

/// What a solver has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverState {
    /// Positions that it knows.
    pub positions: usize,
    /// Bytes that they take.
    pub bytes: u64,
    /// Whether it has used up its memory, and forgets a position for each new one.
    pub forgetful: bool,
}

impl Solver {
    /// A solver that knows nothing yet and takes at most so many bytes of memory, also while
    /// what it remembers is copied to a larger place.
    ///
    /// # Errors
    /// [`SubgameError::Memory`] if the smallest memo does not fit.
    pub fn new(rules: Rules, memory: u64) -> Result<Self, SubgameError> {
        Self::with_memo(rules, memory, Memo::new(rules.key_bits(), 0))
    }

    pub(super) fn with_memo(rules: Rules, memory: u64, memo: Memo) -> Result<Self, SubgameError> {
        let needed = memo.bytes();
        if needed > memory {
            return Err(SubgameError::Memory { needed, allowed: memory });
        }
        Ok(Self { rules, memory, memo: RwLock::new(memo) })
    }

    /// The game.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// What it knows.
    pub fn state(&self) -> SolverState {
        self.with_known(|memo| SolverState {
            positions: memo.len(),
            bytes: memo.bytes(),
            forgetful: memo.is_forgetful(),
        })
    }

    pub(super) fn with_known<R>(&self, look: impl FnOnce(&Memo) -> R) -> R {
        // A thread that panicked has left the words of the memo whole.
        look(&self.memo.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The chance to win from a position with best play: exact but for rounding to 24 bits, each
    /// position's mean to the nearest. With [choice](super::Draws::Choice), what that makes of it.
    pub fn value(&self, position: &Position) -> f64 {
        self.solve(position).chance()
    }

    /// The value of a position.
    pub(super) fn solve(&self, position: &Position) -> Value {
        loop {
            let solved = self.with_known(|memo| self.solved(memo, position));
            match solved {
                Ok(value) => return value,
                Err(Full) => self.make_room(),
            }
        }
    }

    /// The values of many positions. The known ones are looked up all at once, so that the
    /// processor need not wait for the memory each time.
    pub(super) fn solve_all(&self, positions: &[Position]) -> Vec<Value> {
        let known: Vec<Option<Value>> = self
            .with_known(|memo| positions.iter().map(|position| memo.get(position.key())).collect());
        let values = known.into_iter().zip(positions);
        values.map(|(known, position)| known.unwrap_or_else(|| self.solve(position))).collect()
    }

    /// The value of a position, unless the memo is too small for what must be remembered.
    fn solved(&self, memo: &Memo, position: &Position) -> Result<Value, Full> {
        let stock = position.stock();
        // The last card of the stock must be next: if a position is not lost, something can
        // move when all lies open, and stack cards that could have moved would have.
        if stock <= 1 {
            return Ok(Value::ONE);
        }
        if let Some(value) = memo.get(position.key()) {
            return Ok(value);
        }
        let expansion = Expansion::new(self.rules, position);
        let mut after = [Value(0); 2 * Rules::MAX_CHAIN];
        let mut draws = 0;
        for (lane, cards) in position.lanes().into_iter().enumerate() {
            let mut drawn = cards.stock();
            while drawn != 0 {
                let card = drawn.trailing_zeros() as usize / 4;
                drawn &= drawn - 1;
                after[draws] = self.after_draw(memo, &expansion, lane, card)?;
                draws += 1;
            }
        }
        let value = self.rules.draws().value(self.rules, &mut after[..draws]);
        memo.insert(position.key(), value)?;
        Ok(value)
    }

    /// The best that can be had after a draw.
    fn after_draw(
        &self,
        memo: &Memo,
        expansion: &Expansion,
        lane: usize,
        card: usize,
    ) -> Result<Value, Full> {
        if card == 0 {
            return self.solved(memo, &expansion.build(lane));
        }
        let mut best = Value(0);
        for stack in expansion.stacks_for(lane, card) {
            best = best.max(self.solved(memo, &expansion.put(lane, card, stack))?);
            if best == Value::ONE {
                break;
            }
        }
        Ok(best)
    }

    /// Makes the memo larger, or forgetful when the memory is used up.
    fn make_room(&self) {
        let mut memo = self.memo.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been here first.
        if !memo.is_crowded() {
            return;
        }
        // While it is copied, both are there.
        if 3 * memo.bytes() <= self.memory {
            *memo = memo.doubled();
        } else {
            memo.stop_growing();
        }
    }
}
