//! `retrotab publish`: put a finished table where others can fetch it.

mod coordinator;
mod sending;

use std::ops::ControlFlow;

use retrotab_tablefmt::manifest::Manifest;
use retrotab_tablefmt::objects::StoreOptions;
use retrotab_tablefmt::publish::{self, Existing, PublishOptions, Published, Step, Target};

use crate::args::PublishArgs;
use crate::failure::UserError;
use crate::run::{interrupt, report};
use crate::text;

/// Publishes a table and says where.
pub fn publish(args: &PublishArgs) -> anyhow::Result<()> {
    if ["http://", "https://"].iter().any(|scheme| args.to.starts_with(scheme)) {
        return coordinator::publish(args);
    }
    if args.name.is_some() {
        let what = "--name is for a coordinator; elsewhere a table has the name of its folder";
        return Err(UserError(what.to_owned()).into());
    }
    let stop = interrupt::catch()?;
    let (manifest, _) = Manifest::read(&args.dir)?;
    let target = Target::open(&args.to, &StoreOptions::default())?;
    let existing = if args.replace { Existing::Replace } else { Existing::Keep };
    let options = PublishOptions { urls: public_urls(args), existing };
    let bar = report::bar(manifest.bytes(), "checking");
    let published = publish::publish(&args.dir, &target, &options, &mut |step| {
        match step {
            Step::Checking(bytes) => bar.set_position(bytes),
            Step::Copying(bytes) => {
                bar.set_message("copying");
                bar.set_position(bytes);
            }
        }
        if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    tell(target.shown(), &published);
    if args.public_url.is_empty() {
        println!("{NO_URL}");
    }
    Ok(())
}

const NO_URL: &str =
    "note       without --public-url the torrent has no web seeds, and urls.txt only names";

/// Says what was published where.
fn tell(place: &str, published: &Published) {
    if published.written.is_empty() {
        println!("{place}: published before, nothing to do");
    } else {
        println!("{place}: published");
    }
    println!("table      {}", published.manifest.table);
    println!("identity   {}", published.manifest.identity);
    let (files, copied) = (published.written.len(), text::bytes(published.copied));
    println!("written    {files} files, {copied} of data");
    for name in &published.removed {
        println!("removed    {name}");
    }
}

/// The URLs that were given, as they are written.
fn public_urls(args: &PublishArgs) -> Vec<String> {
    args.public_url.iter().map(|url| url.trim_end_matches('/').to_owned()).collect()
}
