package import CacheInvalidation
package import CacheModel

/// What an operator may want to know of a node's dealings with its publisher. Told as it happens;
/// who hears it may log it, count it or drop it.
package enum NodeControlReport: Hashable, Sendable {
    /// The publisher welcomed this run.
    case connected(log: LogID, head: LogPosition)
    /// Nothing was heard on the control channel for a lease; the node greets anew.
    case lostPublisher(silence: Duration)
    /// Heartbeats stay away; the subscription is made anew.
    case lostLiveChannel(silence: Duration)
    /// The publisher no longer knows this run, so it was started again; the node greets anew.
    case forgottenByPublisher
    case gap(after: LogPosition, missingCount: UInt64)
    /// A gap was closed with this many replayed records.
    case replayed(recordCount: Int)
    /// Everything filled before `continueFrom` is hidden from now on.
    case forgot(cause: Subscriber.ForgetCause, continueFrom: LogPosition)
    /// The publisher told what was touched since then: the rest is shown again.
    case floorsLearned(since: LogPosition)
    /// Nobody can tell what was touched since then: what can be confirmed is withheld.
    case floorsUnknown(since: LogPosition)
    /// The publisher contradicts what was applied. Nothing is called fresh until it is settled.
    case diverged(applied: LogPosition, log: LogID)
    /// The lease is over.
    case suspect
    /// The calendar went on by so much more than the machine's clock, which may have stood still:
    /// the lease is given up.
    case calendarJumped(by: Duration)
    /// There is a lease again, or for the first time, and everything known is applied.
    case live
    /// The node was ordered to leave and takes nothing new.
    case draining
    /// The node leaves now; whether it finished what was under way.
    case drained(isFinished: Bool)
    /// The publisher answered something with an error.
    case refused(code: UInt16, message: String)
    /// So many records since the last such report, the last of them at `position`, are of a form
    /// that this release cannot read: everything filled before them is withheld or gone.
    case newerForm(position: LogPosition, recordCount: Int)
    /// A frame made no sense and was dropped.
    case damagedFrame(sentence: String)
}
