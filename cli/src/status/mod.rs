//! `retrotab status`: what a coordinator is doing, once or again and again.

mod plain;
mod screen;
mod snapshot;
mod watch;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use anyhow::Context;

use crate::args::StatusArgs;

use snapshot::{Source, Unreachable};

/// Time between two texts where the output is no terminal.
const TEXTS: Duration = Duration::from_secs(5);

/// How a snapshot is written.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Json,
}

/// Shows how things stand.
pub fn status(args: &StatusArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("cannot start threads")?;
    let _entered = runtime.enter();
    let source = Source::new(&args.remote)?;
    let form = if args.json { Form::Json } else { Form::Text };
    match form {
        Form::Text if args.watch && std::io::stdout().is_terminal() => watch::watch(source),
        _ if args.watch => runtime.block_on(repeat(source, form)),
        _ => runtime.block_on(once(source, form)),
    }
}

async fn once(mut source: Source, form: Form) -> anyhow::Result<()> {
    write(&source.snapshot().await?, form)
}

/// Goes on while the coordinator is away.
async fn repeat(mut source: Source, form: Form) -> anyhow::Result<()> {
    let mut ticks = tokio::time::interval(TEXTS);
    loop {
        ticks.tick().await;
        match source.snapshot().await {
            Ok(snapshot) => write(&snapshot, form)?,
            Err(error @ Unreachable { .. }) => eprintln!("retrotab: {error}; trying again"),
        }
    }
}

fn write(snapshot: &snapshot::Snapshot, form: Form) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match form {
        Form::Text => writeln!(out, "{}", plain::text(snapshot))?,
        Form::Json => writeln!(out, "{}", serde_json::to_string(&snapshot.to_json())?)?,
    }
    Ok(out.flush()?)
}
