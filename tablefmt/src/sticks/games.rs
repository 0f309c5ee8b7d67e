//! All games, move by move.

use super::board::{Board, Strike};
use super::spec::Rows;
use super::value::Outcome;

/// Which games count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endings {
    /// Those in which nobody strikes all that is left while there is a choice.
    Sensible,
    /// Also those in which a player strikes two or more sticks, all that is left, and so
    /// loses.
    All,
}

/// A game that has been played to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The moves, of both players in turn.
    pub strikes: Vec<Strike>,
    /// What it is for the player who moved first.
    pub first_player: Outcome,
}

/// All games from the start on so many rows, in order of their moves. A game ends as soon as
/// one stick is left: the player to move must strike it, and loses.
#[derive(Debug)]
pub struct Games {
    endings: Endings,
    /// The moves that led to the last of the open boards.
    path: Vec<Strike>,
    /// Boards on the way, each with the moves still to be tried.
    open: Vec<(Board, std::vec::IntoIter<Strike>)>,
    /// The game that is over before it starts.
    over: Option<Game>,
}

impl Games {
    /// All games on so many rows.
    pub fn new(rows: Rows, endings: Endings) -> Self {
        let start = Board::start(rows);
        let mut games = Games { endings, path: Vec::new(), open: Vec::new(), over: None };
        if start.sticks() == 1 {
            games.over = Some(Game { strikes: Vec::new(), first_player: Outcome::Loss });
        } else {
            games.open(start);
        }
        games
    }

    fn open(&mut self, board: Board) {
        let strikes = board.strikes().into_iter();
        self.open.push((board, strikes));
    }

    /// The game that ends with the move `last`; `to_move` is what it is for the player who
    /// would be to move then.
    fn ended(&self, last: Strike, to_move: Outcome) -> Game {
        let mut strikes = self.path.clone();
        strikes.push(last);
        let first_is_to_move = strikes.len().is_multiple_of(2);
        let first_player = if first_is_to_move { to_move } else { to_move.opposite() };
        Game { strikes, first_player }
    }
}

impl Iterator for Games {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        if let Some(over) = self.over.take() {
            return Some(over);
        }
        loop {
            let (board, strikes) = self.open.last_mut()?;
            let Some(strike) = strikes.next() else {
                self.open.pop();
                self.path.pop();
                continue;
            };
            let after = board.after(strike).expect("a move from the list of moves");
            match (after.sticks(), self.endings) {
                (0, Endings::Sensible) => {}
                (0, Endings::All) => return Some(self.ended(strike, Outcome::Win)),
                (1, _) => return Some(self.ended(strike, Outcome::Loss)),
                _ => {
                    self.path.push(strike);
                    self.open(after);
                }
            }
        }
    }
}
