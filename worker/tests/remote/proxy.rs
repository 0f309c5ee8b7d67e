//! A line between worker and coordinator that can be cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A line that can be cut.
#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    cuts: watch::Sender<u32>,
    down: Arc<AtomicBool>,
}

impl Proxy {
    pub async fn to(server: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy {
            address: listener.local_addr().unwrap(),
            cuts: watch::Sender::new(0),
            down: Arc::default(),
        };
        let line = proxy.clone();
        tokio::spawn(async move {
            while let Ok((worker, _)) = listener.accept().await {
                let cuts = line.cuts.subscribe();
                // Asked after subscribing: who goes down waits for this line, or it is refused.
                if !line.down.load(Ordering::SeqCst) {
                    tokio::spawn(carry(worker, server, cuts));
                }
            }
        });
        proxy
    }

    /// All connections break, and no new ones can be made; nothing passes any more.
    pub async fn go_down(&self) {
        self.down.store(true, Ordering::SeqCst);
        self.cuts.send_modify(|cuts| *cuts += 1);
        // Every line that is carried looks at the cuts.
        self.cuts.closed().await;
    }

    pub fn come_up(&self) {
        self.down.store(false, Ordering::SeqCst);
    }
}

async fn carry(mut worker: TcpStream, server: SocketAddr, mut cuts: watch::Receiver<u32>) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    // Else small messages wait for each other.
    [&worker, &server].iter().for_each(|line| line.set_nodelay(true).unwrap());
    tokio::select! {
        _ = cuts.changed() => {}
        _ = copy_bidirectional(&mut worker, &mut server) => {}
    }
}
