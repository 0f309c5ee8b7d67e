//! What keeps a lease alive: progress, or the coordinator's own delay.

use crate::ids::{LeaseId, Tick};

use super::{HeartbeatAnswer, Refused, Scheduler};

impl Scheduler {
    /// A worker says how many entries of its unit it has computed.
    ///
    /// Only a number larger than before renews the lease; numbers above the unit's entries
    /// count as all of them, so a lease cannot be renewed for ever. Later leases of the worker
    /// are renewed too: their units wait for this one.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn heartbeat(
        &mut self,
        now: Tick,
        lease: LeaseId,
        entries: u64,
    ) -> Result<HeartbeatAnswer, Refused> {
        self.advance(now);
        let known = self.leases.get(lease).ok_or(Refused::UnknownLease(lease))?;
        if let Some(ended) = known.ended {
            return Ok(HeartbeatAnswer::Ended(ended));
        }
        let entries = entries.min(self.frontier.graph().range(known.unit).entries);
        if entries <= known.progress {
            return Ok(HeartbeatAnswer::NoProgress { deadline: known.deadline });
        }
        self.leases.note_progress(lease, entries);
        Ok(HeartbeatAnswer::Renewed { deadline: self.renew_from(lease) })
    }

    /// A worker says how many entries of other sections it has fetched for its unit: on a slow
    /// link that takes longer than a lease lasts.
    ///
    /// Only a number larger than before renews the lease; numbers above all that the unit's
    /// section needs count as all of it.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn fetching(
        &mut self,
        now: Tick,
        lease: LeaseId,
        entries: u64,
    ) -> Result<HeartbeatAnswer, Refused> {
        self.advance(now);
        let known = self.leases.get(lease).ok_or(Refused::UnknownLease(lease))?;
        if let Some(ended) = known.ended {
            return Ok(HeartbeatAnswer::Ended(ended));
        }
        let graph = self.frontier.graph();
        let entries = entries.min(graph.needed_entries(graph.range(known.unit).section));
        if entries <= known.fetched {
            return Ok(HeartbeatAnswer::NoProgress { deadline: known.deadline });
        }
        self.leases.note_fetched(lease, entries);
        Ok(HeartbeatAnswer::Renewed { deadline: self.renew_from(lease) })
    }

    /// Renews a lease without progress, because the delay is the coordinator's: it could not
    /// store the shard. It is renewed even if its time ran out meanwhile, unless that was
    /// noticed: an ended lease stays ended.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn hold(&mut self, now: Tick, lease: LeaseId) -> Result<(), Refused> {
        self.advance_sparing(now, [lease]);
        self.leases.get(lease).map(|_| ()).ok_or(Refused::UnknownLease(lease))
    }

    /// As [`hold`](Self::hold), for all leases whose shards are being stored at the moment; those
    /// that have ended stay ended.
    pub fn hold_all(&mut self, now: Tick, leases: impl IntoIterator<Item = LeaseId>) {
        self.advance_sparing(now, leases);
    }

    /// Renews a lease and the later ones of its holder, whose units wait for this one: a
    /// worker takes its units in order. A lease that is stuck keeps none alive but those
    /// behind it, and is itself kept alive by those before it, which come to an end.
    fn renew_from(&mut self, lease: LeaseId) -> Tick {
        let deadline = self.now + self.policy.lease_time;
        let holder = self.leases.get(lease).and_then(|known| self.workers.get(known.worker));
        let leases: Vec<_> = holder.into_iter().flat_map(|worker| worker.leases()).collect();
        for later in leases.into_iter().filter(|id| *id >= lease) {
            self.leases.renew(later, deadline);
        }
        deadline
    }
}
