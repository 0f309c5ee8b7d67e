//! Threads that wait for the network, so that the rest may be plain blocking code.

use std::path::Path;
use std::sync::mpsc;

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::error::TableError;

/// An async runtime that may be dropped anywhere.
#[derive(Debug)]
pub(crate) struct Threads(Option<Runtime>);

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Threads {
    /// So many threads for what is at `place`, which is named in the error.
    pub(crate) fn new(number: usize, place: &str) -> Result<Threads, TableError> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(number).thread_name("network").enable_all().build();
        let runtime = runtime.map_err(TableError::io(Path::new(place), "start threads for it"))?;
        Ok(Threads(Some(runtime)))
    }

    /// Runs something, and does not wait for it.
    pub(crate) fn spawn(
        &self,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Option<JoinHandle<()>> {
        // It is taken only by the drop.
        self.0.as_ref().map(|runtime| runtime.spawn(task))
    }

    /// Waits for something, on the thread of the caller.
    pub(crate) fn wait<T>(&self, task: impl Future<Output = T>) -> Option<T> {
        self.0.as_ref().map(|runtime| runtime.block_on(task))
    }

    /// Runs something and waits for it.
    pub(crate) fn run<T: Send + 'static, E: From<TableError> + Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.spawn(async move {
            // The receiver waits below.
            let _ = sender.send(task.await);
        });
        let gone = |_| TableError::Bug("a task that waits for the network did not end".to_owned());
        receiver.recv().map_err(gone)?
    }
}
