//! Compiles `retrotab.proto` into Rust types, without needing `protoc`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=retrotab.proto");
    let files = protox::compile(["retrotab.proto"], ["."])?;
    prost_build::Config::new().compile_fds(files)?;
    Ok(())
}
