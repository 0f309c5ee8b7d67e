//! `retrotab sticks play`: a person against the table.
//!
//! Lines in, lines out, so that it can be played through a pipe too.

use std::io::{BufRead, Write};

use anyhow::Context;
use retrotab_tablefmt::sticks::{Board, SticksSpec, Strike, Value};
use retrotab_worker::sticks::WholeTable;

use crate::args::PlaySticksArgs;

/// Plays one game on standard input and output.
pub fn play(args: &PlaySticksArgs) -> anyhow::Result<()> {
    let rows = args.rows.rows()?;
    let table = WholeTable::solve(SticksSpec { rows }, rows.sticks());
    let to_move = if args.second { Player::Table } else { Player::Person };
    let game = Round { table: &table, board: Board::start(rows), to_move };
    game.play(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())
}

/// Who is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Player {
    Person,
    Table,
}

/// A game as far as it has been played.
struct Round<'a> {
    table: &'a WholeTable,
    board: Board,
    to_move: Player,
}

/// What the person typed.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Strike(Strike),
    Quit,
    /// Nothing that is understood.
    Odd,
}

impl Round<'_> {
    fn play(mut self, lines: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "Strike sticks that stand side by side in a row. Whoever strikes the last")?;
        writeln!(out, "stick loses. A move is the row, the first stick, and how many sticks")?;
        writeln!(out, "after it are struck too: `3 2` strikes one stick, `3 2 1` two. `q` quits.")?;
        draw(&self.board, out)?;
        while self.board.sticks() > 1 {
            let strike = match self.to_move {
                Player::Table => self.reply()?,
                Player::Person => match self.ask(lines, out)? {
                    Some(strike) => strike,
                    None => {
                        writeln!(out, "The game is not finished.")?;
                        return Ok(());
                    }
                },
            };
            self.board = self.board.after(strike).context("bug: the move is not allowed")?;
            match self.to_move {
                Player::Table => writeln!(out, "I strike {}.", in_words(strike))?,
                Player::Person => writeln!(out, "You strike {}.", in_words(strike))?,
            }
            draw(&self.board, out)?;
            self.to_move = match self.to_move {
                Player::Table => Player::Person,
                Player::Person => Player::Table,
            };
        }
        let ending = match (self.board.sticks(), self.to_move) {
            (0, Player::Person) => "I struck the last stick: you win.",
            (0, Player::Table) => "You struck the last stick: I win.",
            (_, Player::Person) => "You have to strike the last stick: I win.",
            (_, Player::Table) => "I have to strike the last stick: you win.",
        };
        writeln!(out, "{ending}")?;
        Ok(())
    }

    /// A best move: of those that lead to the best value, the first.
    fn reply(&self) -> anyhow::Result<Strike> {
        let before = self.value(&self.board)?;
        for strike in self.board.strikes() {
            let after = self.board.after(strike).context("bug: a listed move is not allowed")?;
            if self.value(&after)?.one_move_earlier() == before {
                return Ok(strike);
            }
        }
        anyhow::bail!("bug: no move has the value of the position {}", self.board)
    }

    fn value(&self, board: &Board) -> anyhow::Result<Value> {
        let value = self.table.value(&board.segments());
        value.with_context(|| format!("bug: the position {board} is not in the table"))
    }

    /// Asks until there is a move that is allowed; `None` when there will be none.
    fn ask(&self, lines: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<Option<Strike>> {
        loop {
            write!(out, "your move> ")?;
            out.flush()?;
            let mut line = String::new();
            if lines.read_line(&mut line).context("cannot read standard input")? == 0 {
                writeln!(out)?;
                return Ok(None);
            }
            match typed(&line) {
                Typed::Quit => return Ok(None),
                Typed::Odd => writeln!(out, "Type two or three numbers, like `3 2 1`, or `q`.")?,
                Typed::Strike(strike) => match self.board.after(strike) {
                    Ok(_) => return Ok(Some(strike)),
                    Err(error) => writeln!(out, "That cannot be done: {error}.")?,
                },
            }
        }
    }
}

fn typed(line: &str) -> Typed {
    let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || "[,]".contains(c)).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if let ["q" | "quit"] = *words {
        return Typed::Quit;
    }
    let numbers: Result<Vec<u8>, _> = words.iter().map(|word| word.parse()).collect();
    match numbers.as_deref() {
        Ok(&[row, first]) => Typed::Strike(Strike { row, first, further: 0 }),
        Ok(&[row, first, further]) => Typed::Strike(Strike { row, first, further }),
        _ => Typed::Odd,
    }
}

fn in_words(strike: Strike) -> String {
    let Strike { row, first, further } = strike;
    match further {
        0 => format!("stick {first} of row {row}"),
        _ => format!("sticks {first} to {} of row {row}", first + further),
    }
}

/// Draws the rows, and above them the numbers of the sticks.
fn draw(board: &Board, out: &mut dyn Write) -> anyhow::Result<()> {
    let numbers: String = (1..=board.rows()).map(|place| format!("{place:3}")).collect();
    writeln!(out, "\n    {numbers}")?;
    for row in 1..=board.rows() {
        let stick = |place| if board.stands(row, place) { "  |" } else { "  ." };
        let sticks: String = (1..=row).map(stick).collect();
        writeln!(out, "{row:3} {sticks}")?;
    }
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_in_several_ways() {
        let strike = |row, first, further| Typed::Strike(Strike { row, first, further });
        assert_eq!(typed("3 2\n"), strike(3, 2, 0));
        assert_eq!(typed(" 3  2 1 \r\n"), strike(3, 2, 1));
        assert_eq!(typed("[3,2,1]\n"), strike(3, 2, 1));
        for quit in ["q\n", "quit"] {
            assert_eq!(typed(quit), Typed::Quit);
        }
        for odd in ["", "\n", "3", "3 2 1 0", "a b", "-1 2", "300 1", "3 2 x"] {
            assert_eq!(typed(odd), Typed::Odd, "{odd:?}");
        }
    }
}
