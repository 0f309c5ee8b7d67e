//! A snapshot as a picture on a terminal.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Gauge, Paragraph, Row, Table, Wrap};
use retrotab_proto::v1::{
    GetJobResponse, JobEvent, JobPhase, SectionPhase, SectionStatus, WorkerInfo,
};

use super::plain::{self, printable};
use super::snapshot::Snapshot;

/// Rows of a job: its name and its bar.
const JOB_ROWS: u16 = 2;

/// What is shown.
pub struct Screen<'a> {
    /// Where the coordinator is.
    pub url: &'a str,
    /// The last snapshot, if there was one.
    pub snapshot: Option<&'a Snapshot>,
    /// For how long there was no answer, and why.
    pub lost: Option<(Duration, &'a str)>,
    /// Number of the job that is shown at length.
    pub selected: usize,
}

/// Draws everything.
pub fn draw(frame: &mut Frame, screen: &Screen) {
    let nothing = Snapshot::default();
    let snapshot = screen.snapshot.unwrap_or(&nothing);
    let area = frame.area();
    let jobs_height = 2 + JOB_ROWS * (snapshot.jobs.len().clamp(1, 4) as u16);
    let workers_height = (3 + snapshot.workers.len() as u16).clamp(4, (area.height / 3).max(4));
    let [head, jobs, details, workers, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(jobs_height),
        Constraint::Fill(1),
        Constraint::Length(workers_height),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(contact(screen), head);
    draw_jobs(frame, jobs, snapshot, screen.selected);
    draw_details(frame, details, snapshot.jobs.get(screen.selected));
    draw_workers(frame, workers, &snapshot.workers);
    frame.render_widget(Line::from(" q quit   up/down another job").dim(), foot);
}

fn contact<'a>(screen: &'a Screen) -> Line<'a> {
    let state = match (screen.lost, screen.snapshot) {
        (Some((lasted, why)), _) => {
            let lasted = plain::time(lasted.as_secs_f64());
            format!("no answer for {lasted}, trying again: {}", printable(why)).red().bold()
        }
        (None, None) => "connecting ...".yellow(),
        (None, Some(_)) => "live".green(),
    };
    Line::from(vec![" retrotab ".bold(), Span::raw(format!("{}  ", screen.url)), state])
}

fn draw_jobs(frame: &mut Frame, area: Rect, snapshot: &Snapshot, selected: usize) {
    let block = Block::bordered().title(format!(" jobs: {} ", snapshot.jobs.len()));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let fit = usize::from(inner.height / JOB_ROWS);
    let first = (selected + 1).saturating_sub(fit);
    for (i, job) in snapshot.jobs.iter().enumerate().skip(first).take(fit) {
        let y = inner.y + JOB_ROWS * (i - first) as u16;
        let row = Rect { y, height: JOB_ROWS, ..inner };
        draw_job(frame, row, job, if i == selected { "> " } else { "  " });
    }
}

fn draw_job(frame: &mut Frame, area: Rect, details: &GetJobResponse, mark: &'static str) {
    let job = details.job.clone().unwrap_or_default();
    let colour = match job.phase() {
        JobPhase::Finished => Color::Green,
        JobPhase::Stopped => Color::Red,
        JobPhase::Cancelled | JobPhase::Unspecified => Color::DarkGray,
        JobPhase::Running | JobPhase::Merging => Color::Blue,
    };
    let [name, bar] = Layout::vertical([Constraint::Length(1); 2]).areas(area);
    let said = if job.message.is_empty() { &job.table } else { &job.message };
    let said = Span::raw(format!("  {}", printable(said)));
    let said = if job.message.is_empty() { said.dim() } else { said.fg(Color::Yellow) };
    let line = Line::from(vec![Span::raw(mark), printable(&job.name).bold(), said]);
    frame.render_widget(line, name);
    let computed = job.entries_done.saturating_add(job.entries_running);
    let ratio = (computed as f64 / job.entries.max(1) as f64).clamp(0.0, 1.0);
    let gauge = Gauge::default()
        .gauge_style(Style::new().fg(colour).bg(Color::Black))
        .label(Span::styled(plain::facts(&job).join("  "), Style::new().fg(Color::White).bold()))
        .ratio(ratio);
    frame.render_widget(gauge, bar);
}

fn draw_details(frame: &mut Frame, area: Rect, job: Option<&GetJobResponse>) {
    let nothing = GetJobResponse::default();
    let job = job.unwrap_or(&nothing);
    let picture = picture(&job.sections, usize::from(area.width / 2));
    let width = picture.iter().map(Line::width).max().unwrap_or(0) as u16 + 4;
    let [left, right] =
        Layout::horizontal([Constraint::Length(width.max(24)), Constraint::Fill(1)]).areas(area);
    let title = match job.sections.len() {
        0 => " sections ".to_owned(),
        all => {
            let complete = job.sections.iter().filter(|s| s.phase() == SectionPhase::Complete);
            format!(" sections: {} of {all} ", complete.count())
        }
    };
    frame.render_widget(Paragraph::new(picture).block(Block::bordered().title(title)), left);
    let line = |event: &JobEvent| {
        let text = printable(&event.text);
        if event.warning { Line::from(format!("! {text}")).yellow() } else { Line::from(text) }
    };
    let lines: Vec<_> = job.events.iter().rev().map(line).collect();
    let events = Paragraph::new(lines).wrap(Wrap { trim: true });
    frame.render_widget(events.block(Block::bordered().title(" events, newest first ")), right);
}

/// The sections as cells that fill up: a triangle if they are named `k,l` with `k >= l` as in
/// stack tables, otherwise a strip.
fn picture(sections: &[SectionStatus], width: usize) -> Vec<Line<'static>> {
    let place = |section: &SectionStatus| {
        let (k, l) = section.name.split_once(',')?;
        let (k, l) = (k.parse::<usize>().ok()?, l.parse::<usize>().ok()?);
        (l <= k && k < 100).then_some((k, l))
    };
    let Some(places) = sections.iter().map(place).collect::<Option<Vec<_>>>() else {
        let rows = sections.chunks((width / 2).clamp(1, 40));
        return rows.map(|row| row.iter().map(cell).collect()).collect();
    };
    let top = places.iter().map(|place| place.1).max().unwrap_or(0);
    let mut rows: Vec<Vec<Span>> = (0..=top).map(|l| vec![format!("{l:>2} ").dim()]).collect();
    for ((k, l), section) in places.into_iter().zip(sections) {
        let row = &mut rows[l];
        while row.len() <= k {
            row.push(Span::raw("  "));
        }
        row.push(cell(section));
    }
    rows.into_iter().rev().map(Line::from).collect()
}

fn cell(section: &SectionStatus) -> Span<'static> {
    const LEVELS: [&str; 9] = ["__", "▁▁", "▂▂", "▃▃", "▄▄", "▅▅", "▆▆", "▇▇", "██"];
    let computed = section.entries_done.saturating_add(section.entries_running);
    let share = (computed as f64 / section.entries.max(1) as f64).clamp(0.0, 1.0);
    match section.phase() {
        SectionPhase::Complete => "██".green(),
        // 8 is for the end alone.
        SectionPhase::Open => LEVELS[((share * 8.0) as usize).min(7)].light_blue(),
        SectionPhase::Blocked | SectionPhase::Unspecified => "··".dark_gray(),
    }
}

fn draw_workers(frame: &mut Frame, area: Rect, workers: &[WorkerInfo]) {
    let rows = workers.iter().map(|worker| Row::new(plain::columns(worker)));
    let widths = [
        Constraint::Fill(2),
        Constraint::Fill(2),
        Constraint::Length(10),
        Constraint::Length(6),
        Constraint::Length(6),
        Constraint::Length(7),
        Constraint::Length(9),
        Constraint::Length(10),
    ];
    let title = format!(" workers: {} ", workers.len());
    let table = Table::new(rows, widths).header(Row::new(plain::COLUMNS).dim());
    frame.render_widget(table.block(Block::bordered().title(title)), area);
}

#[cfg(test)]
pub(super) mod made_up {
    use retrotab_proto::v1::JobSummary;

    use super::*;

    /// A half-done job with a worker.
    pub fn snapshot() -> Snapshot {
        let section = |name: &str, phase: SectionPhase, done| SectionStatus {
            name: name.to_owned(),
            phase: phase.into(),
            entries: 100,
            entries_done: done,
            ..SectionStatus::default()
        };
        let job = JobSummary {
            name: "stack3".to_owned(),
            table: "stack game, 3 stacks".to_owned(),
            phase: JobPhase::Running.into(),
            units: 178,
            units_done: 80,
            units_running: 3,
            entries: 800_000_000,
            entries_done: 390_000_000,
            entries_running: 10_000_000,
            entries_per_second: 45e6,
            eta_seconds: Some(9.0),
            ..JobSummary::default()
        };
        let text = "the lease of worker bee on unit 7 expired".to_owned();
        let worker = WorkerInfo {
            name: "ant/4117".to_owned(),
            doing: "unit 5".to_owned(),
            threads: 2,
            memory: 4 << 30,
            leases: 1,
            units_done: 30,
            entries_per_second: 15e6,
            silent_seconds: 1.2,
            ..WorkerInfo::default()
        };
        let sections = vec![
            section("0,0", SectionPhase::Complete, 100),
            section("1,0", SectionPhase::Open, 50),
            section("1,1", SectionPhase::Blocked, 0),
        ];
        let events = vec![JobEvent { unix_millis: 1, text, warning: true }];
        let jobs = vec![GetJobResponse { job: Some(job), sections, events }];
        Snapshot { jobs, workers: vec![worker] }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn drawn(screen: &Screen, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, screen)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn a_snapshot_is_shown() {
        let snapshot = made_up::snapshot();
        let mut screen =
            Screen { url: "http://c:7420", snapshot: Some(&snapshot), lost: None, selected: 0 };
        let picture = drawn(&screen, 120, 30);
        for part in ["live", "stack3", "50.0 %", "45.0 M/s", "ETA 00:00:09", "80 of 178 units"] {
            assert!(picture.contains(part), "{part:?} is not in:\n{picture}");
        }
        for part in [" 1   ··", " 0 ██▄▄", "ant/4117", "! the lease of worker bee", "1 of 3"]
        {
            assert!(picture.contains(part), "{part:?} is not in:\n{picture}");
        }
        screen.lost = Some((Duration::from_secs(75), "connection refused"));
        let picture = drawn(&screen, 120, 30);
        let lost = "no answer for 00:01:15, trying again: connection refused";
        assert!(picture.contains(lost) && picture.contains("stack3"), "{picture}");
    }

    #[test]
    fn small_terminals_and_odd_data_are_survived() {
        let mut snapshot = made_up::snapshot();
        for job in 0..30 {
            let mut more = snapshot.jobs[0].clone();
            more.sections[0].name = format!("hand {job}");
            more.job.as_mut().unwrap().entries = 0;
            snapshot.jobs.push(more);
        }
        snapshot.workers = vec![snapshot.workers[0].clone(); 70];
        for snapshot in [None, Some(&snapshot), Some(&Snapshot::default())] {
            for selected in [0, 5, 1000] {
                let screen = Screen { url: "http://c:7420", snapshot, lost: None, selected };
                for (width, height) in [(1, 1), (20, 5), (80, 24), (200, 60)] {
                    drawn(&screen, width, height);
                }
            }
        }
    }
}
