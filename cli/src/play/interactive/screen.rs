//! What a person sees.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};
use retrotab_player::{Foundation, Position, Slot};

use super::table::{Advice, Seat, Standing};
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
        Some(Advice::Won) => vec![Line::from(" the game is won").green()],
        Some(Advice::Lost) => vec![Line::from(" no way to win is left").red()],
        Some(Advice::NothingFound) => vec![Line::from(" every way found is deadlocked").red()],
        Some(Advice::Ways(hints)) => {
            let line = |hint: &super::table::Hint| {
                let percent = 100.0 * hint.value;
                Line::from(format!(" {percent:6.2} %  {}", picture::steps(&hint.steps)))
            };
            hints.iter().map(line).collect()
        }
    };
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" hint ")), area);
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use retrotab_player::search::Settings;
    use retrotab_player::{Board, Deal, Evaluator, Game, Start, Step};

    use super::*;
    use crate::play::setup::{Rules, Table};

    /// Values boards by the cards that are built.
    struct Built;

    impl Evaluator for Built {
        fn evaluate(&self, boards: &[Board], values: &mut [f32]) {
            for (board, value) in boards.iter().zip(values) {
                let built: usize = Foundation::ALL.iter().map(|&f| board.built(f)).sum();
                *value = built as f32 - 52.0;
            }
        }

        fn pairs(&self, _: &Board) -> Option<[f32; 6]> {
            None
        }
    }

    fn picture(seat: &Seat) -> String {
        let mut terminal = Terminal::new(TestBackend::new(90, 30)).unwrap();
        terminal.draw(|frame| draw(frame, seat)).unwrap();
        let buffer = terminal.backend().buffer();
        let rows = buffer.content.chunks(usize::from(buffer.area.width));
        let row = |cells: &[ratatui::buffer::Cell]| -> String {
            cells.iter().map(|cell| cell.symbol()).collect()
        };
        rows.map(row).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_person_plays_takes_back_and_asks() {
        let rules = Rules { game: Game::new(13, 3).unwrap(), start: Start::Stock };
        let settings = Settings::new(0, 10).unwrap();
        let table = Table { rules, settings, evaluator: &Built };
        let cards = "KA".to_owned() + &"A23456789TJQK".repeat(4)[1..51];
        let deal = Deal::parse(rules.game, rules.start, &cards).unwrap();
        let mut seat = Seat::new(&table, &deal);
        let first = picture(&seat);
        assert!(first.contains("drawn: K") && first.contains("51 cards left"), "{first}");
        assert!(first.contains("1 put on [0]"), "{first}");

        seat.make_number(2);
        let second = picture(&seat);
        assert!(second.contains("[1] K") && second.contains("drawn: A"), "{second}");
        assert!(second.contains("1 build on 0"), "{second}");
        seat.toggle_hint();
        let hinted = picture(&seat);
        assert!(hinted.contains("%  build on 0"), "{hinted}");
        seat.make_number(99);
        assert_eq!(picture(&seat), hinted, "there is no such step");

        seat.make_selected();
        assert!(picture(&seat).contains("0  A | 23456789TJQK"), "{}", picture(&seat));
        seat.undo();
        assert_eq!(picture(&seat), second);
        seat.undo();
        seat.undo();
        assert_eq!(picture(&seat), first);
        seat.select_next();
        seat.make_selected();
        assert_eq!(picture(&seat), second);
    }

    #[test]
    fn a_lost_game_says_so() {
        let rules = Rules { game: Game::new(5, 1).unwrap(), start: Start::Stock };
        let settings = Settings::new(0, 10).unwrap();
        let table = Table { rules, settings, evaluator: &Built };
        let deal = Deal::parse(rules.game, rules.start, &"A2345".repeat(4)).unwrap();
        let mut seat = Seat::new(&table, &deal);
        for _ in 0..20 {
            let put = seat.steps().iter().position(|step| matches!(step, Step::Put(_)));
            seat.make_number(put.unwrap() + 1);
        }
        // A five is on top, and no foundation begins with one.
        assert!(picture(&seat).contains("the game is lost"), "{}", picture(&seat));
        seat.toggle_hint();
        assert!(picture(&seat).contains("no way to win is left"), "{}", picture(&seat));
    }

    #[test]
    fn hints_are_true_to_the_end_of_a_game() {
        let rules = Rules { game: Game::new(5, 1).unwrap(), start: Start::Stock };
        let settings = Settings::new(0, 10).unwrap();
        let table = Table { rules, settings, evaluator: &Built };
        // On one stack, from the top: A2345 24A35 3A425 432A5.
        let deal = Deal::parse(rules.game, rules.start, "5A234524A353A425432A").unwrap();
        let mut seat = Seat::new(&table, &deal);
        let make = |seat: &mut Seat, step| {
            let at = seat.steps().iter().position(|&possible| possible == step).unwrap();
            seat.make_number(at + 1);
        };
        for _ in 0..19 {
            make(&mut seat, Step::Put(0));
        }
        seat.toggle_hint();
        assert!(picture(&seat).contains("100.00 %  build on 0, move [0] to"), "{}", picture(&seat));
        make(&mut seat, Step::Put(0));
        for _ in 0..20 {
            assert!(picture(&seat).contains("the stock is empty"), "{}", picture(&seat));
            seat.toggle_hint();
            assert!(picture(&seat).contains("100.00 %  move [0] to"), "{}", picture(&seat));
            let Some(Advice::Ways(hints)) = seat.hint() else { panic!("no way is shown") };
            let step = hints[0].steps[0];
            make(&mut seat, step);
        }
        seat.toggle_hint();
        let end = picture(&seat);
        assert!(end.contains("you have won") && end.contains("the game is won"), "{end}");
    }
}
