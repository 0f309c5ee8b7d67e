//! Telling the coordinator how far the units are.

use std::time::Duration;

use retrotab_proto::v1::{HeartbeatRequest, HeartbeatResponse};
use tokio::time::{Instant, sleep_until};
use tracing::{info, warn};

use super::backoff::describe;
use super::connect::Client;
use super::session::Session;

/// Heartbeats come no more often than this, whatever the coordinator says.
const MOST_OFTEN: Duration = Duration::from_millis(50);

/// Sends heartbeats for ever. `idle` says what the worker does when it holds nothing.
pub(crate) async fn beat(session: &Session, idle: impl Fn() -> String) {
    let mut away = false;
    loop {
        let millis = session.registration().answer.heartbeat_millis;
        let next = Instant::now() + Duration::from_millis(millis.into()).max(MOST_OFTEN);
        let leases = session.held.progress();
        let doing = session.held.doing().unwrap_or_else(&idle);
        let call = |mut client: Client, worker| async move {
            client.heartbeat(HeartbeatRequest { worker, leases, doing }).await
        };
        match session.call(call).await {
            Ok(answer) => {
                if std::mem::take(&mut away) {
                    info!("the coordinator is there again");
                    session.news.notify_waiters();
                }
                note(session, &answer);
            }
            Err(status) if !std::mem::replace(&mut away, true) => {
                warn!("the coordinator does not hear this worker: {}", describe(&status));
            }
            Err(_) => {}
        }
        sleep_until(next).await;
    }
}

/// Drops the units whose leases have ended.
fn note(session: &Session, answer: &HeartbeatResponse) {
    let all = session.held.all();
    for ended in &answer.ended {
        let held = all.iter().filter(|held| held.job.digest.0 == *ended.job_digest);
        held.for_each(|held| held.end(ended.lease, &ended.reason));
    }
    if !answer.ended.is_empty() {
        session.news.notify_waiters();
    }
}
