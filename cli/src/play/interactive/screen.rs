//! What a person sees.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use retrotab_player::{Foundation, Position, Slot};

use super::table::{Seat, Standing};
use crate::play::picture;

/// Draws everything.
pub fn draw(frame: &mut Frame, seat: &Seat) {
    let position = seat.position();
    let [head, foundations, stacks, choice, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(6),
        Constraint::Length(2 + position.stacks().len() as u16),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(headline(seat), head);
    let title = " foundations: built | needed ";
    let rows: Vec<Line> = Foundation::ALL.map(|f| foundation(position, f)).into();
    frame.render_widget(Paragraph::new(rows).block(Block::bordered().title(title)), foundations);
    let rows: Vec<Line> = (0..position.stacks().len()).map(|s| stack(position, s)).collect();
    let title = " stacks, bottom to top ";
    frame.render_widget(Paragraph::new(rows).block(Block::bordered().title(title)), stacks);
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(40), Constraint::Fill(1)]).areas(choice);
    steps(frame, left, seat);
    hint(frame, right, seat);
    let keys = " up/down, enter or a number: play   u undo   h hint   q quit";
    frame.render_widget(Line::from(keys).dim(), foot);
}

fn headline<'a>(seat: &Seat) -> Line<'a> {
    let left = seat.position().stock();
    let state = match (seat.standing(), seat.position().drawn()) {
        (Standing::Won, _) => "you have won".green().bold(),
        (Standing::Lost, _) => "nothing moves any more: the game is lost".red().bold(),
        (Standing::Open, Some(card)) => format!("drawn: {}", card.letter()).yellow().bold(),
        (Standing::Open, None) => "the stock is empty".yellow(),
    };
    Line::from(vec![" Calculation ".bold(), state, Span::raw(format!("   {left} cards left"))])
}

fn foundation<'a>(position: &Position, foundation: Foundation) -> Line<'a> {
    let game = position.game();
    let letters = |from: usize, to: usize| -> String {
        let slots = (from..to).map(|index| Slot::new(foundation, index));
        slots.map(|slot| game.rank(slot).letter()).collect()
    };
    let built = position.built(foundation);
    Line::from(vec![
        Span::raw(format!(" {}  ", foundation.0)),
        letters(0, built).green(),
        " | ".dim(),
        letters(built, game.ranks()).into(),
    ])
}

fn stack<'a>(position: &Position, stack: usize) -> Line<'a> {
    let cards = position.stacks()[stack].iter().map(|card| format!(" {}", card.letter()));
    Line::from(format!(" [{stack}]{}", cards.collect::<String>()))
}

fn steps(frame: &mut Frame, area: Rect, seat: &Seat) {
    let line = |(at, step)| {
        let text = format!(" {} {} ", at + 1, picture::step(step));
        let line = Line::from(text);
        if at == seat.selected() { line.fg(Color::Black).bg(Color::Cyan) } else { line }
    };
    let lines: Vec<Line> = seat.steps().into_iter().enumerate().map(line).collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" steps ")), area);
}

fn hint(frame: &mut Frame, area: Rect, seat: &Seat) {
    let lines: Vec<Line> = match seat.hint() {
        None => Vec::new(),
        Some([]) => vec![Line::from(" every way is deadlocked").red()],
        Some(hints) => {
            let line = |hint: &super::table::Hint| {
                let percent = 100.0 * hint.value;
                Line::from(format!(" {percent:6.2} %  {}", picture::steps(&hint.steps)))
            };
            hints.iter().map(line).collect()
        }
    };
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" hint ")), area);
}
