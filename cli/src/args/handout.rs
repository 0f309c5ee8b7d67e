//! Handing tables out and taking them in.

use std::net::SocketAddr;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::Args;

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
