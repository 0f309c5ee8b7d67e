//! Coordinators, workers, and who talks to them.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use clap::Args;

use crate::remote_options::{ProtectionOptions, RemoteOptions};

/// Options of `submit` for every family.
#[derive(Debug, Args)]
pub struct SubmitOptions {
    #[command(flatten)]
    pub remote: RemoteOptions,
    /// Name of the finished table's folder: letters, digits, `-`, `_` [default: by the table].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Raw size of a work unit; the table does not depend on it [default: by the table's size].
    #[arg(long, value_name = "BYTES")]
    pub unit_size: Option<ByteSize>,
    /// Wait until the table is finished.
    #[arg(long)]
    pub wait: bool,
}

/// `cancel`.
#[derive(Debug, Args)]
pub struct CancelArgs {
    /// The job: its digest, the beginning of it, or the name of its table.
    pub job: String,
    #[command(flatten)]
    pub remote: RemoteOptions,
}

/// `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Go on showing it, in a view of its own on a terminal.
    #[arg(long)]
    pub watch: bool,
    /// Print JSON; with `--watch` one line each time.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub remote: RemoteOptions,
}

/// `coordinator`.
#[derive(Debug, Args)]
pub struct CoordinatorArgs {
    /// Folder of jobs and finished tables.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Where workers and users call.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7420")]
    pub listen: SocketAddr,
    /// Where browsers and Prometheus call.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7421")]
    pub http: SocketAddr,
    /// Store of shards that workers read and write directly: s3://BUCKET/FOLDER, gs://, az:// or
    /// file:///SHARED/FOLDER, with credentials from the environment [default: the data folder].
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// Make the state of every job anew from its shards.
    #[arg(long)]
    pub rebuild: bool,
    /// How long a unit stays with a worker that makes no progress.
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub lease_seconds: u32,
    #[command(flatten)]
    pub protection: ProtectionOptions,
}

/// `certs`.
#[derive(Debug, Args)]
pub struct CertsArgs {
    /// Folder for certificates and keys. An authority that is there is used again; nothing is
    /// overwritten.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A name or address by which the coordinator is called; may be given several times.
    #[arg(long, value_name = "NAME|IP")]
    pub host: Vec<String>,
    /// Make a certificate for a client of this name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub client: Vec<String>,
    /// How long the certificates are valid.
    #[arg(long, value_name = "N", default_value_t = 365,
          value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
}

/// `token`.
#[derive(Debug, Args)]
pub struct TokenArgs {
    /// The file; it must not be there.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}

/// `worker`.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub remote: RemoteOptions,
    /// Threads to compute on [default: all cores].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Memory to use, for example 3GiB [default: three quarters of the machine's, at most 8GiB].
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<ByteSize>,
    /// Folder for shards of other workers and for scratch files; workers may share one
    /// [default: a temporary folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Bytes of shards to keep in the cache [default: 20GiB].
    #[arg(long, value_name = "BYTES")]
    pub cache_bytes: Option<ByteSize>,
    /// Name that tells workers of one host apart [default: the number of the process].
    #[arg(long)]
    pub name: Option<String>,
    /// Leave when there have been jobs and all are finished.
    #[arg(long)]
    pub until_finished: bool,
}
