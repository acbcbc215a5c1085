package import CacheInvalidation
package import CacheMemory
package import CacheModel

/// Actions for a node's control thread, to be performed in order.
package enum NodeControlAction: Hashable, Sendable {
    /// Tell every shard which run of this node last had a lease before this one; none if unknown.
    /// The contents of its disk are complete only if that run left them. Comes with every WELCOME,
    /// before its other actions; if it differs from the first one, that run has stored something
    /// meanwhile.
    case lives(previous: Incarnation)
    /// Pass these to every shard, in this order. If they are awaited, a shard wakes the control
    /// thread once it has applied them; otherwise it only leaves a message.
    case apply(records: [SealedRecord], isAwaited: Bool)
    /// Tell every shard to hide everything filled up to now, permanently if it cannot be
    /// revalidated, and to count as applied up to `continueFrom`. If it is pending, `.settle`
    /// follows.
    case forget(continueFrom: LogMark, epochChanged: Bool, isPending: Bool)
    /// Tell every shard that forgot and continued `from` there which names were covered meanwhile:
    /// other entries may be served again. `nil`: this cannot be determined.
    case settle(touched: TouchedScopes?, from: LogMark)
    /// Tell every shard the node's standing.
    case setStanding(NodeStanding)
    /// Send this frame on the control socket.
    case sendControl(bytes: [UInt8])
    /// Close the subscription and open it again.
    case resubscribe
    /// Close the subscription and open one to this live endpoint: another publisher leads.
    case subscribe(live: String)
    /// Close the control connection and open it again. Messages queued on it are lost.
    case reconnectControl
    /// Close the control connection and open one to this endpoint. Messages queued on it are lost.
    /// If that is impossible, answer by ``NodeControlCore/cannotConnect(to:because:now:into:)``.
    case connectControl(endpoint: String)
    /// Answer a shard's publish: the position of the record, or why there is none.
    case published(shard: ShardIndex, ticket: UInt64, result: Result<LogPosition, PublishFailure>)
    /// Answer a shard's request for the head, and every earlier one: everything that was
    /// acknowledged before it asked is at or before `head`.
    case headKnown(shard: ShardIndex, number: UInt64, head: LogPosition)
    /// The cluster has another configuration.
    case configuration(revision: UInt32, text: String)
    /// The cluster has another topology: an encoded TOPOLOGY REPORT for the shards to serve,
    /// without its request id.
    case topology(frame: [UInt8])
    /// End the process with exit code 78 and this sentence: a restart would not help.
    case fatal(sentence: String)
    /// The work under way when the node was ordered to leave is finished, or took too long: end the
    /// process in order, with exit code 0.
    case leave
    /// Report an event.
    case report(NodeControlReport)
}

/// Events of a node's control thread that an operator may want to know. Emitted as they happen; the
/// receiver may log, count or drop them.
package enum NodeControlReport: Hashable, Sendable {
    /// The publisher welcomed this run.
    case connected(log: LogID, head: LogPosition)
    /// Nothing was received on the control channel for a lease, or with several publishers on
    /// either channel for three heartbeats; the node greets anew.
    case lostPublisher(silence: Duration)
    /// Of several publishers, this one leads now.
    case publisherLeads(endpoint: String)
    /// Of several publishers, this one does not lead; `leader` does, as it says, unless that is
    /// empty. Reported once until another one leads.
    case publisherDoesNotLead(endpoint: String, leader: String)
    /// Of several publishers, no connection to this one can be made. Reported once until one leads.
    case publisherUnusable(endpoint: String, reason: String)
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
