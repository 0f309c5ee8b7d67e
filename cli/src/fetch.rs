//! `retrotab fetch`: take a published table in.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use retrotab_tablefmt::fetch::{self, FetchOptions, Fetched, How, Wanted};
use retrotab_tablefmt::remote::Patience;

use crate::args::FetchArgs;
use crate::failure::UserError;
use crate::run::{interrupt, report};
use crate::{text, token};

/// Fetches a table and says what it is.
pub fn fetch(args: &FetchArgs) -> anyhow::Result<()> {
    let stop = interrupt::catch()?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => folder_of(&args.url)?,
    };
    let wanted = match args.files.as_slice() {
        [] => Wanted::All,
        files => Wanted::Files(files.to_vec()),
    };
    let options = FetchOptions {
        mirrors: args.mirror.clone(),
        wanted,
        identity: args.identity.clone(),
        bearer: token::bearer(args.token_file.as_deref())?,
        connections: args.connections.into(),
        patience: Patience { retries: args.retries.into() },
    };
    let start = Instant::now();
    let reporter = report::Transfer::new("fetching");
    let fetched = fetch::fetch(&args.url, &out, &options, &mut |progress| {
        reporter.update(progress.done, progress.total, progress.server);
        if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    reporter.finish();
    let fetched = fetched?;
    for failed in &fetched.failed {
        tracing::warn!(url = failed.url, error = %failed.error, "a server was given up");
    }
    match fetched.how {
        How::WasHere => {
            println!("{}: here already, nothing to do (verify checks it)", out.display())
        }
        How::Table => println!("{}: fetched, whole and unchanged", out.display()),
        How::Files => println!("{}: the files are fetched; the folder is no table", out.display()),
    }
    summary(&fetched, start.elapsed().as_secs_f64());
    Ok(())
}

fn summary(fetched: &Fetched, seconds: f64) {
    println!("table      {}", fetched.manifest.table);
    println!("identity   {}", fetched.manifest.identity);
    if fetched.resumed > 0 {
        println!("resumed    {} were here", text::bytes(fetched.resumed));
    }
    for server in fetched.servers.iter().filter(|server| server.requests > 0) {
        let (url, requests, bytes) = (&server.url, server.requests, text::bytes(server.bytes));
        println!("from       {url}: {bytes} in {requests} requests");
    }
    let bytes: u64 = fetched.servers.iter().map(|server| server.bytes).sum();
    let rate = text::bytes((bytes as f64 / seconds.max(1e-9)) as u64);
    println!("time       {seconds:.1} s, {rate}/s");
}

/// The folder that a table goes to: named as the last part of its URL.
fn folder_of(url: &str) -> anyhow::Result<PathBuf> {
    let name = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let after_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
    let is_host = !after_scheme.trim_end_matches('/').contains('/');
    if is_host || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) || !name.chars().all(fits)
    {
        return Err(UserError(format!("{url}: it does not end with a name; give --out DIR")).into());
    }
    Ok(PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_in_the_url() {
        let name = |url| folder_of(url).ok().map(|path| path.display().to_string());
        assert_eq!(name("http://host/tables/stack3/").as_deref(), Some("stack3"));
        for url in ["http://host", "http://host/", "http://host/..", "http://host/a%2Fb", "x"] {
            assert_eq!(name(url), None, "{url}");
        }
    }
}
