//! What keeps a lease alive: progress, or the coordinator's own delay.

use crate::ids::{LeaseId, Tick};

use super::{HeartbeatAnswer, Refused, Scheduler};

impl Scheduler {
    /// A worker says how many entries of its unit it has computed.
    ///
    /// Only a number larger than before renews the lease; numbers above the unit's entries
    /// count as all of them, so a lease cannot be renewed for ever.
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
        let deadline = self.now + self.policy.lease_time;
        self.leases.note_progress(lease, entries);
        self.leases.renew(lease, deadline);
        Ok(HeartbeatAnswer::Renewed { deadline })
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
        let deadline = self.now + self.policy.lease_time;
        self.leases.note_fetched(lease, entries);
        self.leases.renew(lease, deadline);
        Ok(HeartbeatAnswer::Renewed { deadline })
    }

    /// Renews a lease without progress, because the delay is the coordinator's: it could not
    /// store the shard. It is renewed even if its time ran out meanwhile, unless that was
    /// noticed: an ended lease stays ended.
    ///
    /// # Errors
    /// [`Refused::UnknownLease`].
    pub fn hold(&mut self, now: Tick, lease: LeaseId) -> Result<(), Refused> {
        self.advance_sparing(now, lease);
        self.leases.get(lease).map(|_| ()).ok_or(Refused::UnknownLease(lease))
    }
}
