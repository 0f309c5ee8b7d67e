//! A line to a server that is cut now and then.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A line whose first connections are cut while the server sends.
pub struct Line {
    pub address: SocketAddr,
    cuts: Arc<AtomicUsize>,
}

impl Line {
    /// To a server. So many connections are cut, each after so many bytes of the
    /// server's.
    pub fn to(server: SocketAddr, cuts: usize, after: usize) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let done = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&done);
        thread::spawn(move || {
            for client in listener.incoming() {
                let counted = Arc::clone(&counted);
                // What goes wrong with a line ends that line.
                thread::spawn(move || carry(client.ok()?, server, after, &counted, cuts));
            }
        });
        Line { address, cuts: done }
    }

    /// How often it was cut.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::SeqCst)
    }
}

fn carry(
    mut client: TcpStream,
    server: SocketAddr,
    after: usize,
    cuts: &AtomicUsize,
    most: usize,
) -> Option<()> {
    let mut server = TcpStream::connect(server).ok()?;
    let (mut asked, mut forward) = (client.try_clone().ok()?, server.try_clone().ok()?);
    thread::spawn(move || {
        let _ = std::io::copy(&mut asked, &mut forward);
        let _ = forward.shutdown(Shutdown::Write);
    });
    let (mut carried, mut room) = (0, vec![0; 16 << 10]);
    loop {
        let read = server.read(&mut room).ok().filter(|read| *read > 0);
        let Some(read) = read else { break };
        client.write_all(&room[..read]).ok()?;
        carried += read;
        if carried > after
            && cuts
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| (n < most).then_some(n + 1))
                .is_ok()
        {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
    Some(())
}
