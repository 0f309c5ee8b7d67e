//! Boards and steps as text.

use retrotab_player::{Board, Foundation, Game, Slot, Step};
use serde_json::{Value, json};

/// What a foundation still needs, in order: `9JK`.
pub fn remaining(board: &Board, foundation: Foundation) -> String {
    letters(board.game(), foundation, board.built(foundation))
}

fn letters(game: Game, foundation: Foundation, built: usize) -> String {
    let slots = (built..game.ranks()).map(|index| Slot::new(foundation, index));
    slots.map(|slot| game.rank(slot).letter()).collect()
}

/// A stack card with the foundation it is meant for: `J-1`.
pub fn card(board: &Board, slot: Slot) -> String {
    format!("{}-{}", board.game().rank(slot).letter(), slot.foundation().0)
}

/// The foundations' remaining cards and the stacks, a line each.
pub fn lines(board: &Board) -> Vec<String> {
    let foundations = Foundation::ALL.into_iter();
    let foundations = foundations.map(|f| format!("{}: {}", f.0, remaining(board, f)));
    let stacks = board.stacks().iter().enumerate().map(|(number, stack)| {
        let cards = stack.cards().iter().map(|&slot| format!(" {}", card(board, slot)));
        format!("[{number}]{}", cards.collect::<String>())
    });
    foundations.chain(stacks).collect()
}

/// A step in words: `build on 2`, `put on [0]`, `move [1] to 3`.
pub fn step(step: Step) -> String {
    match step {
        Step::Build(foundation) => format!("build on {}", foundation.0),
        Step::Put(stack) => format!("put on [{stack}]"),
        Step::Move(stack, foundation) => format!("move [{stack}] to {}", foundation.0),
    }
}

/// Steps in words.
pub fn steps(steps: &[Step]) -> String {
    steps.iter().map(|&one| step(one)).collect::<Vec<_>>().join(", ")
}

/// A step for programs.
pub fn step_json(step: Step) -> Value {
    match step {
        Step::Build(foundation) => json!({"build": foundation.0}),
        Step::Put(stack) => json!({"put": stack}),
        Step::Move(stack, foundation) => json!({"move": stack, "to": foundation.0}),
    }
}

/// Steps for programs.
pub fn steps_json(steps: &[Step]) -> Value {
    steps.iter().map(|&one| step_json(one)).collect()
}

/// A board for programs.
pub fn board_json(board: &Board) -> Value {
    let remaining: Vec<_> = Foundation::ALL.into_iter().map(|f| remaining(board, f)).collect();
    let cards = |stack: &retrotab_player::Stack| -> Vec<String> {
        stack.cards().iter().map(|&slot| card(board, slot)).collect()
    };
    let stacks: Vec<_> = board.stacks().iter().map(cards).collect();
    json!({"foundations": remaining, "stacks": stacks})
}
