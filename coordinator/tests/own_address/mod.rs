//! Addresses for servers that a test starts, or starts again.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU16, Ordering};

/// An address of this machine that no other test is given, of this process or of another, and
/// that no connection takes while its server is down.
///
/// A port that happens to be free is none of that: two tests may find the same one before either
/// listens there. Here every process has a host of its own, out of its number (at most 22 bits on
/// Linux, where all of 127.0.0.0/8 is this machine); ports are counted below those that the
/// system gives to connections.
pub fn own_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(20_000);
    let host = u32::from(Ipv4Addr::new(127, 64, 0, 0)) | (std::process::id() & 0x3f_ffff);
    SocketAddr::from((Ipv4Addr::from(host), NEXT.fetch_add(1, Ordering::Relaxed)))
}
