//! Compiles `retrotab.proto` into Rust types and stubs, without needing `protoc`.

use std::error::Error;
use std::path::PathBuf;

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=retrotab.proto");
    let files = protox::compile(["retrotab.proto"], ["."])?;
    // For server reflection.
    let descriptors = PathBuf::from(std::env::var("OUT_DIR")?).join("descriptors.bin");
    std::fs::write(descriptors, files.encode_to_vec())?;
    // Chunks of files are large; the rest is small and simpler as vectors.
    let chunks = [
        ".retrotab.v1.FetchShardChunk",
        ".retrotab.v1.SubmitShardChunk",
        ".retrotab.v1.OfferTableChunk",
        ".retrotab.v1.SendTableFileChunk",
    ];
    let config = chunks.iter().fold(tonic_prost_build::configure(), |c, path| c.bytes(path));
    config.compile_fds(files)?;
    Ok(())
}
