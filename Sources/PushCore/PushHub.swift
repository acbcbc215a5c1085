package import CacheModel

/// Who is sent what of the invalidation log.
///
/// Called by the gateway under one lock: by the task that follows the log, by connections that
/// come and go, and ten times a second for the time. A call does a bounded amount of work; what
/// is left of replays is done by ``step(now:into:)``.
///
///     waiting ──the log is known──▶ ┬──────────── at the head ──────────▶ live
///                                   ├─ in the ring ─▶ replaying ─────────▶ live
///                                   ├─ before it ─▶ gone is said ────────▶ live
///                                   └─ after the head ─▶ ahead ──────────▶ live
///                                                        └─ two heartbeats: gone is said
///
/// The seam: a subscriber becomes live in the step that has told it the last record of the ring,
/// and a record goes to the live ones in the call that puts it into the ring. So each record is
/// told once, and in order, whichever comes first.
///
/// It never passes over a record of a reader: one who cannot follow is cut and told its position.
package struct PushHub: Sendable {
    var views = ViewTable()
    /// By place; `nil` is free.
    var subscribers: [Subscriber?] = []
    var freeSlots: [Int] = []
    var serial: UInt64 = 0

    var ring: RecordRing
    /// Whether the log is known up to what was its head at the start.
    var isReady = false
    /// What has to be known before anybody is told anything.
    var headAtStart: LogPosition?
    var head: LogPosition?
    /// The cluster of the ring's positions; none if it is unknown.
    package internal(set) var cluster = ClusterID.none
    /// Whether all records were lost, and the log's cluster is unknown since then.
    var isClusterOpen = false
    var heardAt: Instant?

    /// Who is being replayed to, in turn.
    var replayQueue: [Int] = []
    /// Those whose stage is ``Subscriber/Stage/ahead(beats:)``.
    var aheadSlots: [Int] = []
    var tickCount = 0
    var isStopping = false
    var figures = PushFigures()
    let subscribersMax: Int
    /// A replay goes on while less than this waits for its reader.
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

    /// How many there are.
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

    /// Sends one message, or cuts a reader for whom too much waits already.
    ///
    /// - Parameter place: up to where the reader was told everything before.
    /// - Returns: those it is sent to.
    mutating func admitted(
        _ message: PushMessage, to slots: [Int], place: LogPosition?, now: Instant,
        _ actions: inout [PushAction]
    ) -> [SubscriberID] {
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
        return readers
    }

    mutating func send(
        _ message: PushMessage, to slots: [Int], place: LogPosition?, now: Instant,
        _ actions: inout [PushAction]
    ) {
        let readers = admitted(message, to: slots, place: place, now: now, &actions)
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

    /// Frees its place.
    mutating func forget(_ slot: Int) {
        guard let subscriber = subscribers[slot] else { return }
        views.remove(subscriber.interests, slot, from: subscriber.view)
        if subscriber.isQueued { replayQueue.removeAll { $0 == slot } }
        if case .ahead = subscriber.stage { aheadSlots.removeOne(slot) }
        subscribers[slot] = nil
        freeSlots.append(slot)
    }

    /// Up to where a subscriber was told everything, to be told to it.
    ///
    /// - Returns: `nil` where it is not known, and while a place may be of another cluster and is
    ///   not checked yet: a reader would come back with that number in the name of the hub's.
    func place(of subscriber: Subscriber) -> LogPosition? {
        switch subscriber.stage {
        case .live: ring.end
        case .waiting where subscriber.cluster != .none && subscriber.cluster != cluster: nil
        case .waiting, .ahead, .replaying: subscriber.place
        }
    }
}
