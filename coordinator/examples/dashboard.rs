//! The dashboard with made-up data, changed by commands on standard input:
//! `cargo run -p retrotab-coordinator --example dashboard [ADDRESS]`. `scripts/test-dashboard`
//! drives it; a person may do so too.
//!
//! | command | what happens |
//! |---|---|
//! | `progress SHARE` | so much of the job is done, 0 to 1 |
//! | `worker NAME` | a worker registers |
//! | `gone` | all workers go |
//! | `event TEXT` | something happens that somebody should look at |
//! | `message TEXT` | what the job says for people |
//! | `strip` | the sections get other names, as in tables of other families |
//! | `trouble TEXT` | the coordinator is not ready; without text it is again |
//! | `jobs` | a finished and a stopped job appear |

#[path = "../tests/made_up_view/mod.rs"]
mod made_up_view;

use std::io::BufRead;
use std::sync::Arc;

use made_up_view::{EventKind, MadeUp, stack_job, worker};
use retrotab_coordinator::clock::unix_millis;
use retrotab_coordinator::http::samples::{self, SAMPLES, Sample, Samples};
use retrotab_coordinator::http::{Site, router};
use retrotab_coordinator::metrics::Metrics;
use retrotab_proto::v1::JobPhase;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let view = Arc::new(MadeUp::half_done());
    let samples = Arc::new(Samples::default());
    history(&samples);
    let site = Site {
        view: view.clone(),
        metrics: Arc::new(Metrics::new()),
        samples: Arc::clone(&samples),
    };
    tokio::spawn(samples::keep(samples, view.clone(), "/".into()));
    println!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            obey(&view, line.trim());
            println!("done");
        }
        std::process::exit(0);
    });
    axum::serve(listener, router(site)).await
}

/// Forty minutes of another job, a pause, and this one's start.
fn history(samples: &Samples) {
    let now = unix_millis();
    for ago in (1..SAMPLES as u64 * 5 / 6).rev() {
        let seconds = 5 * ago;
        let (workers, base) = match seconds {
            1200.. => (4, 58.0e6),
            400..1200 => (0, 0.0),
            _ => (3, 45.0e6),
        };
        let wave = ((ago as f64) / 9.0).sin() * 0.06 + ((ago as f64) / 2.3).sin() * 0.03;
        let entries_per_second = base * (1.0 + wave) * (1.0 - f64::from(seconds < 30) * 0.01);
        samples.push(Sample { unix_millis: now - 1000 * seconds, entries_per_second, workers });
    }
}

fn obey(view: &MadeUp, line: &str) {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    match command {
        "progress" => view.progress(rest.parse().expect("a share")),
        "worker" => {
            let id = view.world().workers.len() as u64 + 1;
            let mut new = worker((&rest, id));
            new.name = rest.to_owned();
            new.doing = format!("computing for {rest}");
            view.world().workers.push(new);
        }
        "gone" => view.world().workers.clear(),
        "event" => view.happen(rest, EventKind::Warning, 0),
        "message" => {
            let mut world = view.world();
            let job = world.jobs[0].job.as_mut().expect("the first job");
            job.message = rest.to_owned();
        }
        "strip" => {
            for (i, section) in view.world().jobs[0].sections.iter_mut().enumerate() {
                section.name = format!("deal {i}");
            }
        }
        "trouble" => view.world().trouble = rest.to_owned(),
        "jobs" => more_jobs(view),
        _ => panic!("unknown command {command:?}"),
    }
}

fn more_jobs(view: &MadeUp) {
    let mut finished = stack_job(2, 12, 1.0);
    if let Some(job) = &mut finished.job {
        job.identity = "5f".repeat(32);
    }
    let mut stopped = stack_job(4, 12, 0.31);
    if let Some(job) = &mut stopped.job {
        job.phase = JobPhase::Stopped.into();
        job.units_running = 0;
        job.message = "unit 17 failed 5 times, the last time on worker bee/4217: the computed \
                       value 65536 does not fit"
            .to_owned();
    }
    view.world().jobs.extend([finished, stopped]);
}
