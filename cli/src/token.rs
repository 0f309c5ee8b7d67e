//! `retrotab token`: a random token; and tokens of web servers.

use std::path::Path;

use anyhow::Context;
use retrotab_proto::token::Token;
use retrotab_tablefmt::remote::Bearer;

use crate::args::TokenArgs;
use crate::private_file::{self, Readers};

/// Writes a new token.
pub fn token(args: &TokenArgs) -> anyhow::Result<()> {
    let token = Token::random().context("the system has no random numbers")?;
    let line = format!("{}\n", token.expose());
    private_file::create(&args.out, &line, Readers::Owner)?;
    let file = args.out.display();
    println!(
        "{file} holds a new token. Copy it, readable by its owner only, to the coordinator and to\n\
         every machine that calls it, and give it to both with --token-file (or\n\
         RETROTAB_TOKEN_FILE)."
    );
    Ok(())
}

/// The token of a file for the headers of requests.
pub fn bearer(file: Option<&Path>) -> anyhow::Result<Option<Bearer>> {
    let Some(file) = file else { return Ok(None) };
    let token = Token::read(file)?;
    Bearer::new(token.expose()).context("bug: a token that no header can hold").map(Some)
}
