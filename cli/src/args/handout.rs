//! Handing tables out and taking them in.

use std::net::SocketAddr;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::Args;

use crate::remote_options::CallerOptions;

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Folders of tables, or folders with tables in them.
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Where to listen.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7422")]
    pub http: SocketAddr,
    /// Bytes of decoded frames to keep, for all tables together.
    #[arg(long, value_name = "BYTES", default_value = "256MiB")]
    pub cache: ByteSize,
}

/// `publish`.
#[derive(Debug, Args)]
pub struct PublishArgs {
    /// Folder of the table.
    pub dir: PathBuf,
    /// The published table's folder: a path, s3://BUCKET/FOLDER, gs://, az:// or file:///FOLDER,
    /// with credentials from the environment; or a running coordinator, http://HOST:PORT or
    /// https://HOST:PORT, where workers call it, too.
    #[arg(long, value_name = "URL|PATH")]
    pub to: String,
    /// URL at which others find that folder, for urls.txt, the page and the torrent's web seeds;
    /// may be given several times.
    #[arg(long, value_name = "URL")]
    pub public_url: Vec<String>,
    /// Replace another table that is there.
    #[arg(long)]
    pub replace: bool,
    /// Name of the table at a coordinator: letters, digits, `-`, `_` [default: that of DIR].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub caller: CallerOptions,
}

/// `fetch`.
#[derive(Debug, Args)]
pub struct FetchArgs {
    /// URL of the published table's folder.
    pub url: String,
    /// Folder for the table [default: named as in the URL]. Running the same command again goes
    /// on where it was stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Fetch only these data files; the folder does not become a table.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub files: Vec<String>,
    /// URL of the same table elsewhere, for when the first fails; may be given several times.
    #[arg(long, value_name = "URL")]
    pub mirror: Vec<String>,
    /// Take only the table with this identity.
    #[arg(long, value_name = "BLAKE3")]
    pub identity: Option<String>,
    /// The token that the server at URL asks for, as a coordinator with a token does. It is sent
    /// nowhere else, and not taken from the environment: servers differ.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Connections at a time.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u8).range(1..=64))]
    pub connections: u8,
    /// How often a request is repeated that brings nothing.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub retries: u8,
}
