//! The terminal view: asks once a second, draws, and listens to keys.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::signal::unix::{SignalKind, signal};

use super::screen::{self, Screen};
use super::snapshot::{Snapshot, Source};

/// Time between two questions.
const ASK: Duration = Duration::from_secs(1);
/// Longest time between two drawings.
const DRAW: Duration = Duration::from_millis(250);

/// What is known of the coordinator.
#[derive(Default)]
struct Known {
    snapshot: Option<Snapshot>,
    lost: Option<(Instant, String)>,
    told_to_stop: bool,
}

type Shared = Arc<Mutex<Known>>;

fn lock(shared: &Shared) -> MutexGuard<'_, Known> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows how things stand until the user has seen enough. To be called within a runtime.
pub fn watch(source: Source) -> anyhow::Result<()> {
    let shared = Shared::default();
    let url = source.url().to_owned();
    let mut terminate = signal(SignalKind::terminate()).context("cannot catch SIGTERM")?;
    let stopped = Arc::clone(&shared);
    // The terminal must be put back in order first.
    tokio::spawn(async move {
        terminate.recv().await;
        lock(&stopped).told_to_stop = true;
    });
    tokio::spawn(ask(source, Arc::clone(&shared)));
    let mut terminal = ratatui::try_init().context("cannot use the terminal")?;
    let seen = show(&mut terminal, &shared, &url);
    ratatui::restore();
    seen
}

/// Asks again and again, also when there is no answer.
async fn ask(mut source: Source, shared: Shared) {
    let mut ticks = tokio::time::interval(ASK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let answer = source.snapshot().await;
        let mut known = lock(&shared);
        match answer {
            Ok(snapshot) => {
                known.snapshot = Some(snapshot);
                known.lost = None;
            }
            Err(error) => {
                let since = known.lost.take().map_or_else(Instant::now, |(since, _)| since);
                known.lost = Some((since, error.why));
            }
        }
    }
}

fn show(terminal: &mut DefaultTerminal, shared: &Shared, url: &str) -> anyhow::Result<()> {
    let mut selected = 0_usize;
    loop {
        let known = lock(shared);
        if known.told_to_stop {
            return Ok(());
        }
        let jobs = known.snapshot.as_ref().map_or(0, |snapshot| snapshot.jobs.len());
        selected = selected.min(jobs.saturating_sub(1));
        let lost = known.lost.as_ref().map(|(since, why)| (since.elapsed(), why.as_str()));
        let screen = Screen { url, snapshot: known.snapshot.as_ref(), lost, selected };
        terminal.draw(|frame| screen::draw(frame, &screen))?;
        drop(known);
        if !event::poll(DRAW)? {
            continue;
        }
        if let Event::Key(key) = event::read()? {
            match meaning(key) {
                Some(Wish::Quit) => return Ok(()),
                Some(Wish::Up) => selected = selected.saturating_sub(1),
                Some(Wish::Down) => selected += 1,
                None => {}
            }
        }
    }
}

/// What the user wants.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Quit,
    Up,
    Down,
}

fn meaning(key: KeyEvent) -> Option<Wish> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => Some(Wish::Quit),
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Wish::Quit),
        KeyCode::Up | KeyCode::Char('k') => Some(Wish::Up),
        KeyCode::Down | KeyCode::Char('j') => Some(Wish::Down),
        _ => None,
    }
}
