//! Buffers that are used again.
//!
//! A solver's buffers are megabytes large; making them anew for every batch costs more in page
//! faults than filling them.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Buffers of one kind, for any number of threads.
#[derive(Debug, Default)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

/// A buffer from a [`Pool`], which goes back there when dropped. Its content is left over.
#[derive(Debug)]
pub(crate) struct Pooled<'a, T> {
    pool: &'a Pool<T>,
    /// `None` only while it is dropped.
    buffer: Option<T>,
}

impl<T> Pool<T> {
    /// A buffer: one that has been used, or a new one.
    pub(crate) fn take(&self) -> Pooled<'_, T>
    where
        T: Default,
    {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Pooled { pool: self, buffer: Some(free.unwrap_or_default()) }
    }

    /// Gives a buffer to be used again.
    pub(crate) fn put(&self, buffer: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

impl<T> Drop for Pooled<'_, T> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.pool.put(buffer);
        }
    }
}

impl<T> Deref for Pooled<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.buffer.as_ref().expect("it is there until dropped")
    }
}

impl<T> DerefMut for Pooled<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.buffer.as_mut().expect("it is there until dropped")
    }
}
