//! The end of a game, when the stock is empty: nothing is left to chance.

use std::collections::HashSet;

use crate::rules::{Position, Step};

/// Steps that win a game whose stock is empty, if there are any: exactly, by trying all. The last
/// card may still be in the hand. A won game needs none.
pub fn winning_steps(position: &Position) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    wins(position, &mut HashSet::new(), &mut steps).then_some(steps)
}

/// Whether the game can be won from here; then `steps` goes on to the end. `lost` are positions
/// from which it cannot.
fn wins(position: &Position, lost: &mut HashSet<Position>, steps: &mut Vec<Step>) -> bool {
    if position.is_won() {
        return true;
    }
    if lost.contains(position) {
        return false;
    }
    for step in position.steps() {
        let mut next = position.clone();
        if next.make(step).is_ok() {
            steps.push(step);
            if wins(&next, lost, steps) {
                return true;
            }
            steps.pop();
        }
    }
    lost.insert(position.clone());
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Foundation, Game, Rank};

    /// Of five ranks on two stacks: foundation 0 needs A2345 and has the ace, 1 needs 24A35 and
    /// has none, the others are complete.
    fn position(stacks: [&str; 2]) -> Position {
        let game = Game::new(5, 2).unwrap();
        let cards =
            |letters: &str| letters.chars().map(|l| Rank::from_letter(l).unwrap()).collect();
        Position::of(game, [1, 0, 5, 5], stacks.map(cards).to_vec()).unwrap()
    }

    fn win(mut position: Position) -> Vec<Step> {
        let steps = winning_steps(&position).unwrap();
        steps.iter().for_each(|&step| position.make(step).unwrap());
        assert!(position.is_won());
        assert_eq!(winning_steps(&position), Some(Vec::new()));
        steps
    }

    #[test]
    fn the_right_foundation_is_found() {
        // The two on top may go to foundation 0, too, but then nothing moves any more.
        let open = position(["5342", "5432A"]);
        assert!(open.steps().contains(&Step::Move(0, Foundation(0))));
        assert_eq!(win(open)[..2], [1, 1].map(|f| Step::Move(0, Foundation(f))));
        assert_eq!(winning_steps(&position(["5324", "5432A"])), None);
    }

    #[test]
    fn the_last_card_may_be_in_the_hand() {
        let mut open = position(["534", "5432A"]);
        open.draw(Rank::from_letter('2').unwrap()).unwrap();
        assert_eq!(win(open)[0], Step::Build(Foundation(1)));
    }
}
