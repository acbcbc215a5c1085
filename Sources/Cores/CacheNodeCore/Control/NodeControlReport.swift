package import CacheInvalidation
package import CacheModel

/// Events of a node's control thread that an operator may want to know. Emitted as they happen; the
/// receiver may log, count or drop them.
package enum NodeControlReport: Hashable, Sendable {
    /// The publisher welcomed this run.
    case connected(log: LogID, head: LogPosition)
    /// Nothing was received on the control channel for a lease; the node greets anew.
    case lostPublisher(silence: Duration)
    /// Heartbeats are missing; the subscription is renewed.
    case lostLiveChannel(silence: Duration)
    /// The publisher no longer knows this run, so it was restarted; the node greets anew.
    case forgottenByPublisher
    case gap(after: LogPosition, missingCount: UInt64)
    /// A gap was closed with this many replayed records.
    case replayed(recordCount: Int)
    /// Everything filled before `continueFrom` is hidden from now on.
    case forgot(cause: Subscriber.ForgetCause, continueFrom: LogPosition)
    /// The publisher reported the names covered since then: other entries are served again.
    case floorsLearned(since: LogPosition)
    /// The names covered since then cannot be determined: entries that can be confirmed are
    /// withheld.
    case floorsUnknown(since: LogPosition)
    /// The publisher contradicts the applied records. Nothing is called fresh until that is
    /// resolved.
    case diverged(applied: LogPosition, log: LogID)
    /// The lease is over.
    case suspect
    /// The calendar clock advanced by this much more than the machine's monotonic clock, which may
    /// have been paused: the lease is given up.
    case calendarJumped(by: Duration)
    /// There is a lease again, or for the first time, and every known record is applied.
    case live
    /// The node was ordered to leave and accepts nothing new.
    case draining
    /// The node leaves now; whether it finished its work.
    case drained(isFinished: Bool)
    /// The publisher answered a request with an error.
    case refused(code: UInt16, message: String)
    /// This many records since the last such report, the last of them at `position`, have a form
    /// that this release cannot read: everything filled before them is withheld or removed.
    case newerForm(position: LogPosition, recordCount: Int)
    /// A frame was invalid and was dropped.
    case damagedFrame(sentence: String)
}
