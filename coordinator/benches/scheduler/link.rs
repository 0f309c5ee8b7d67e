//! A link that all transfers share evenly.

use std::collections::BTreeMap;

/// A transfer's number; later ones are larger.
pub type Flow = u64;

/// A link of fixed speed. What each transfer has got of it so far is the same for all that
/// began together, so one number, the service a transfer would have got since the link
/// exists, says when each ends.
pub struct Link {
    /// Bytes a second.
    speed: f64,
    now: f64,
    service: f64,
    next: Flow,
    /// By the service at which they end; as bits, which sort like positive numbers.
    ends: BTreeMap<(u64, Flow), ()>,
    /// The service at which each began and ends.
    flows: BTreeMap<Flow, (f64, f64)>,
    /// Counts changes of the transfers; what was worked out before one is no longer true.
    pub watch: u64,
    changed: bool,
    /// All bytes of all transfers that were begun.
    pub carried: f64,
}

impl Link {
    /// A link of so many bytes a second.
    pub fn new(speed: f64) -> Link {
        let (ends, flows) = (BTreeMap::new(), BTreeMap::new());
        Link {
            speed,
            now: 0.0,
            service: 0.0,
            next: 0,
            ends,
            flows,
            watch: 0,
            changed: false,
            carried: 0.0,
        }
    }

    /// Begins a transfer.
    pub fn begin(&mut self, now: f64, bytes: f64) -> Flow {
        self.advance(now);
        let flow = self.next;
        self.next += 1;
        let end = self.service + bytes;
        self.ends.insert((end.to_bits(), flow), ());
        self.flows.insert(flow, (self.service, end));
        self.carried += bytes;
        self.changed = true;
        flow
    }

    /// Breaks a transfer off, if it goes on.
    pub fn drop(&mut self, now: f64, flow: Flow) {
        self.advance(now);
        if let Some((_, end)) = self.flows.remove(&flow) {
            self.ends.remove(&(end.to_bits(), flow));
            self.changed = true;
            self.carried -= (end - self.service).max(0.0);
        }
    }

    /// Bytes of a transfer that have arrived.
    pub fn moved(&mut self, now: f64, flow: Flow) -> f64 {
        self.advance(now);
        self.flows.get(&flow).map_or(0.0, |(begin, _)| self.service - begin)
    }

    /// When the next transfer ends, if the transfers have changed since this was asked.
    pub fn new_watch(&mut self) -> Option<(f64, u64)> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        self.watch += 1;
        let ((end, _), ()) = self.ends.first_key_value()?;
        let left = (f64::from_bits(*end) - self.service).max(0.0);
        Some((self.now + left * self.ends.len() as f64 / self.speed, self.watch))
    }

    /// A transfer that has ended by now.
    pub fn ended(&mut self, now: f64) -> Option<Flow> {
        self.advance(now);
        let (&(end, flow), ()) = self.ends.first_key_value()?;
        // A byte more or less is rounding.
        if f64::from_bits(end) > self.service + 1.0 {
            self.changed = true;
            return None;
        }
        self.ends.remove(&(end, flow));
        self.flows.remove(&flow);
        self.changed = true;
        Some(flow)
    }

    fn advance(&mut self, now: f64) {
        if !self.ends.is_empty() {
            self.service += (now - self.now).max(0.0) * self.speed / self.ends.len() as f64;
        }
        self.now = self.now.max(now);
    }
}
