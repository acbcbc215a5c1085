package import CacheModel

/// Decides which subscriber is sent which part of the invalidation log.
///
/// The gateway calls it under one lock: from the task that follows the log, from connections that
/// come and go, and ten times a second for the time. A call does a bounded amount of work;
/// ``step(now:into:)`` continues the replays.
///
///     waiting ──the log is known──▶ ┬──────────── at the head ──────────▶ live
///                                   ├─ in the ring ─▶ replaying ─────────▶ live
///                                   ├─ before it ─▶ gone is said ────────▶ live
///                                   └─ after the head ─▶ ahead ──────────▶ live
///                                                        └─ two heartbeats: gone is said
///
/// The handover: a subscriber becomes live in the step that has sent it the last record of the
/// ring, and a record goes to the live ones in the call that puts it into the ring. So each record
/// is sent once, and in order, whichever comes first.
///
/// It never skips a record of a reader: a reader that cannot follow is cut and told its position.
package struct PushHub: Sendable {
    var views = ViewTable()
    /// By slot; `nil` is free.
    var subscribers: [PushSubscriber?] = []
    var freeSlots: [Int] = []
    var serial: UInt64 = 0

    var ring: RecordRing
    /// Whether the log is known up to what was its head at the start.
    var isReady = false
    /// The position that has to be known before any subscriber is sent a record.
    var headAtStart: LogPosition?
    var head: LogPosition?
    /// The cluster of the ring's positions; none if it is unknown.
    package internal(set) var cluster = ClusterID.none
    /// Whether all records were lost, and the log's cluster is unknown since then.
    var isClusterOpen = false
    var heardAt: Instant?

    /// The subscribers with a replay, in turn.
    var replayQueue: [Int] = []
    /// The subscribers at ``PushSubscriber/Stage/ahead(beats:)``.
    var aheadSlots: [Int] = []
    var tickCount = 0
    var isStopping = false
    var figures = PushFigures()
    let subscribersMax: Int
    /// A replay continues while fewer bytes than this wait for its reader.
    var replayBytesAhead = PushLimits.replayBytesAhead

    package init(subscribersMax: Int = PushLimits.subscribersMax) {
        self.init(
            subscribersMax: subscribersMax, ring: RecordRing(after: .none))
    }

    init(subscribersMax: Int, ring: RecordRing) {
        precondition(subscribersMax > 0, "a gateway without subscribers needs no hub")
        self.subscribersMax = subscribersMax
        self.ring = ring
    }

    /// The number of subscribers.
    package var subscriberCount: Int { subscribers.count - freeSlots.count }

    /// After which position the log is to be followed; `nil` before it was heard of.
    package var position: LogPosition? { isReady || ring.end != .none ? ring.end : nil }

    /// A snapshot.
    ///
    /// - Complexity: O(subscribers).
    package var snapshot: PushFigures {
        var snapshot = figures
        snapshot.subscribers = subscriberCount
        snapshot.ringRecords = ring.count
        snapshot.ringBytes = ring.heldBytes
        snapshot.waitingBytes = subscribers.reduce(0) { $0 + ($1?.pendingBytes ?? 0) }
        snapshot.position = position
        snapshot.head = head
        return snapshot
    }

    // MARK: Sending

    /// Sends one message, or cuts a reader with too many waiting bytes.
    ///
    /// - Parameter place: the reader was sent everything up to here before.
    mutating func send(
        _ message: PushMessage, to slots: [Int], place: LogPosition?, now: Instant,
        _ actions: inout [PushAction]
    ) {
        var readers: [SubscriberID] = []
        for slot in slots {
            guard var subscriber = subscribers[slot] else { continue }
            guard subscriber.pendingBytes <= PushLimits.queueBytesMax else {
                cut(slot, .slow, place: place, &actions)
                continue
            }
            if subscriber.pendingBytes == 0 { subscriber.takenAt = now }
            subscriber.pendingBytes += message.bytes
            subscribers[slot] = subscriber
            readers.append(subscriber.id)
        }
        figures.sent += UInt64(readers.count)
        if !readers.isEmpty { actions.append(.send(message, to: readers)) }
    }

    mutating func cut(
        _ slot: Int, _ ending: PushEnding, place: LogPosition?, _ actions: inout [PushAction]
    ) {
        guard let subscriber = subscribers[slot] else { return }
        if ending == .slow || ending == .stalled { figures.cut += 1 }
        forget(slot)
        actions.append(.end(subscriber.id, ending, .end(ending, position: place)))
    }

    /// Frees its slot.
    mutating func forget(_ slot: Int) {
        guard let subscriber = subscribers[slot] else { return }
        views.remove(subscriber.interests, slot, from: subscriber.view)
        if subscriber.isQueued { replayQueue.removeAll { $0 == slot } }
        if case .ahead = subscriber.stage { aheadSlots.removeOne(slot) }
        subscribers[slot] = nil
        freeSlots.append(slot)
    }

    /// The position up to which a subscriber was sent everything, for a message to it.
    ///
    /// - Returns: `nil` if it is unknown, and while it may be of another cluster and is not checked
    ///   yet: the reader would come back with that position in the name of the hub's cluster.
    func place(of subscriber: PushSubscriber) -> LogPosition? {
        switch subscriber.stage {
        case .live: ring.end
        case .waiting where subscriber.cluster != .none && subscriber.cluster != cluster: nil
        case .waiting, .ahead, .replaying: subscriber.place
        }
    }
}

/// Periodic work.
extension PushHub {
    /// Called every ``PushLimits/tickSpacing``: sends heartbeats to a part of the subscribers, and
    /// checks that they still read.
    package mutating func tick(now: Instant, into actions: inout [PushAction]) {
        tickCount += 1
        let bucket = tickCount % PushLimits.heartbeatBuckets
        var live: [Int] = []
        for slot in stride(
            from: bucket, to: subscribers.count, by: PushLimits.heartbeatBuckets)
        {
            guard let subscriber = subscribers[slot] else { continue }
            if let ending = ending(of: subscriber, now) {
                cut(slot, ending, place: place(of: subscriber), &actions)
            } else if subscriber.stage == .live {
                live.append(slot)
            } else if subscriber.pendingBytes <= PushLimits.queueBytesMax {
                // A replay may queue more than this, and a heartbeat must not cut its reader.
                let told = place(of: subscriber)
                send(beat(told, now), to: [slot], place: told, now: now, &actions)
            }
        }
        guard !live.isEmpty else { return }
        send(beat(ring.end, now), to: live, place: ring.end, now: now, &actions)
    }

    func beat(_ position: LogPosition?, _ now: Instant) -> PushMessage {
        .heartbeat(
            position: position, head: head, silence: heardAt.map { now.elapsed(since: $0) })
    }

    private func ending(of subscriber: PushSubscriber, _ now: Instant) -> PushEnding? {
        if let end = subscriber.end, now >= end { return .expired }
        let waited = now.elapsed(since: subscriber.takenAt)
        return subscriber.pendingBytes > 0 && waited >= PushLimits.stallMax ? .stalled : nil
    }
}
