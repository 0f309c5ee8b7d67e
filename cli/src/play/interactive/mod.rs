//! A person plays in the terminal.

mod screen;
mod table;

use std::io::IsTerminal;

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use retrotab_player::Deal;

use self::table::Seat;
use super::setup::Table;
use crate::failure::UserError;

/// Lets a person play a deal until they quit.
pub fn play(table: &Table, deal: &Deal) -> anyhow::Result<()> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        let text = "--interactive needs a terminal; without it the program plays by itself";
        return Err(UserError(text.to_owned()).into());
    }
    let mut seat = Seat::new(table, deal);
    let mut terminal = ratatui::try_init()?;
    let played = (|| {
        loop {
            terminal.draw(|frame| screen::draw(frame, &seat))?;
            let Event::Key(key) = event::read()? else { continue };
            if key.kind != KeyEventKind::Press {
                continue;
            }
            let interrupt = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                KeyCode::Char('c') if interrupt => return Ok(()),
                KeyCode::Up | KeyCode::Char('k') => seat.select_previous(),
                KeyCode::Down | KeyCode::Char('j') => seat.select_next(),
                KeyCode::Enter | KeyCode::Char(' ') => seat.make_selected(),
                KeyCode::Char('u') => seat.undo(),
                KeyCode::Char('h') => seat.toggle_hint(),
                KeyCode::Char(digit) => {
                    if let Some(digit) = digit.to_digit(10) {
                        seat.make_number(digit as usize);
                    }
                }
                _ => {}
            }
        }
    })();
    ratatui::restore();
    played
}
