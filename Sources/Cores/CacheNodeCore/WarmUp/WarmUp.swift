package import CacheLoading
package import CacheModel
import CacheWire

/// Fills a node that has just become LIVE with copies of its replicas' entries.
///
///     waiting ──live, begin──▶ asking ────────────────▶ copying ──last peer──▶ done
///                                     │ contents of      │ a page of keys: the hottest first
///                                     │ this peer?       │ which are missing here?
///                                     │                  │ their entries
///                                     └ next peer ◀──────┘ no answer: again later, three times
///                                     stop, from anywhere ────────────────────▶ stopped
///
/// Where the log assigns slots, its peers are the owners before of slots that arrived
/// (docs/decisions/0120): ``arrive(_:now:into:)`` begins at each such record.
///
/// One thread of a node owns it. It receives events and appends actions. One request is under way
/// at a time (docs/decisions/0091).
///
/// ### What the shell must do
/// Send every request to a peer's shard and call ``answered(_:now:into:)`` or
/// ``unanswered(_:now:into:)``; pass claims and batches to this node's shards and call
/// ``claimed(_:_:now:into:)`` and ``stored(_:_:now:into:)``; call ``timeIsUp(now:into:)`` at
/// ``nextDeadline``. An answer to no request under way is ignored.
package struct WarmUp: Sendable {
    /// A peer that must still be asked.
    struct Visit: Sendable {
        var peer: Peer
        var triesLeft = WarmUpLimits.triesPerPeerMax
        /// Not before.
        var notBefore: Instant
        /// When nothing is to be asked any more; `nil`: never.
        var endsAt: Instant?
        /// Until when to wait for it, from the first time that it was not LIVE; `nil`: it was LIVE.
        var awaitedUntil: Instant?
    }

    /// Keys of one of this node's shards.
    struct Wanted: Sendable {
        /// Of the peer.
        var from: Int
        /// Of this node.
        var shard: Int
        var namespace: Namespace
        var keys: [CacheKey]
        var isHottest: Bool
        var triesLeft = WarmUpLimits.triesPerBatchMax
    }

    /// Entries requested from a peer.
    struct Asked: Sendable {
        var batch: Wanted
        var request: CopyRequest
        /// For a value of several frames: when the first was requested.
        var at: Instant
    }

    /// The step under way.
    enum Step: Sendable {
        case none
        case survey(shard: Int)
        case page(Place)
        case claim(Wanted)
        case copies(Asked)
        case store(Wanted)
        /// Nothing, until its end.
        case rest
    }

    /// A namespace in one of this node's shards without free space.
    struct FullPlace: Hashable, Sendable {
        var shard: Int
        var namespace: Namespace
    }

    let settings: WarmUpSettings
    /// A topology of this node alone, which maps a key to its shard here.
    let own: Topology
    package internal(set) var progress = Progress()
    var visits: [Visit] = []
    var visit: Visit?
    /// Shards of the peer whose contents are still unknown.
    var unsurveyed: Range<Int> = 0..<0
    /// Places still to be listed, the next one last; the hottest first.
    var places: [Place] = []
    var cursor: UInt64 = 0
    /// Listed keys that are not claimed yet, the next one last.
    var wanted: [Wanted] = []
    var partial: PartialValue?
    var full: Set<FullPlace> = []
    /// Of this peer: keys that are held here, as far as a complete listing has shown; and keys
    /// copied.
    var presentCount = 0
    var copiedCount = 0
    var pace: CopyPace
    /// Whether entries of arrived slots are copied, not those of replicas.
    var isHandOver = false
    var step = Step.none
    var stepEnd: Instant?
    var number: UInt64 = 0

    /// - Parameters:
    ///   - node: this one.
    ///   - shardCount: of this node.
    package init(_ settings: WarmUpSettings, node: NodeID, shardCount: Int) {
        self.settings = settings
        let shards = Array(repeating: "", count: shardCount)
        own = Topology(
            TopologyReport(
                version: 0, kind: .replicated, controlEndpoint: "", liveEndpoint: "",
                nodes: [TopologyReport.Node(id: node, state: nil, endpoints: shards)]))
        pace = CopyPace(settings, now: Instant(nanoseconds: 0))
        progress.phase = settings.source == .peers ? .waiting : .idle
    }

    /// When the next timer is due; `nil`: none.
    package var nextDeadline: Instant? { isOver ? nil : stepEnd }

    package var isOver: Bool { progress.phase == .done || progress.phase == .stopped }

    /// The node is LIVE for the first time. Soon after that it must learn of a replica.
    package mutating func live(now: Instant) {
        guard progress.phase == .waiting else { return }
        stepEnd = now.advanced(by: WarmUpLimits.replicaWaitMax)
    }

    /// - Parameter peers: replicas, in the order in which they may be asked.
    package mutating func begin(_ peers: [Peer], now: Instant, into actions: inout [Action]) {
        guard progress.phase == .waiting else { return }
        progress.phase = .asking
        pace = CopyPace(settings, now: now)
        visits = peers.map { Visit(peer: $0, notBefore: now) }
        proceed(now: now, into: &actions)
    }

    /// Slots arrived at this node: their entries are copied from the owners before, again after
    /// each such record.
    package mutating func arrive(
        _ arrivals: [Arrival], now: Instant, into actions: inout [Action]
    ) {
        guard progress.phase != .stopped, settings.source == .peers, !arrivals.isEmpty else {
            return
        }
        if !isHandOver {
            isHandOver = true
            (progress, full) = (Progress(), [])
            progress.phase = .asking
            pace = CopyPace(settings, now: now)
        }
        visits += arrivals.map { arrival in
            var visit = Visit(peer: Peer(arrival), notBefore: now)
            visit.triesLeft = WarmUpLimits.triesPerArrivalMax
            visit.endsAt = now.advanced(by: HandOverLimits.lifetime)
            return visit
        }
        if case .none = step { proceed(now: now, into: &actions) }
    }

    /// The node leaves or stops, or there is nothing to copy: nothing more is requested.
    package mutating func stop(into actions: inout [Action]) {
        guard !isOver else { return }
        end(.stopped, &actions)
    }

    mutating func end(_ phase: Progress.Phase, _ actions: inout [Action]) {
        // A hand-over leaves the node as full as it can be: nothing is missing that it waits for.
        progress.phase = isHandOver && phase == .done ? .idle : phase
        (step, stepEnd, visit, partial) = (.none, nil, nil, nil)
        (visits, places, wanted, full) = ([], [], [], [])
        isHandOver = false
        actions.append(.over)
    }

    /// The node has no replicas, and nothing is reported.
    package mutating func dismiss() {
        guard !isHandOver else { return }
        progress = Progress()
        stepEnd = nil
    }

    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        switch step {
        case .none: end(.done, &actions)
        case .rest: proceed(now: now, into: &actions)
        case .survey, .page, .copies: leavePeer(isSilent: true, now: now, into: &actions)
        case .claim(let batch), .store(let batch): again(batch, now: now, into: &actions)
        }
    }

    // MARK: Next step

    /// Begins the next step, or rests.
    mutating func proceed(now: Instant, into actions: inout [Action]) {
        (step, stepEnd) = (.none, nil)
        if let most = settings.keysMax, progress.copiedCount >= most, !isHandOver {
            progress.replicaCount += 1
            return end(.done, &actions)
        }
        guard visit != nil else { return nextPeer(now: now, into: &actions) }
        guard pace.readyAt <= now else { return rest(until: pace.readyAt) }
        if let shard = unsurveyed.first { return survey(shard, now: now, into: &actions) }
        if let batch = nextWanted() { return claim(batch, now: now, into: &actions) }
        if let place = nextPlace() { return list(place, now: now, into: &actions) }
        progress.replicaCount += 1
        visit = nil
        nextPeer(now: now, into: &actions)
    }

    private mutating func nextPeer(now: Instant, into actions: inout [Action]) {
        visits.removeAll { $0.endsAt.map { $0 <= now } ?? false }
        guard let due = visits.map(\.notBefore).min() else { return end(.done, &actions) }
        guard due <= now, let index = visits.firstIndex(where: { $0.notBefore <= now }) else {
            return rest(until: due)
        }
        let next = visits.remove(at: index)
        visit = next
        progress.phase = .asking
        progress.peer = next.peer.node
        (progress.keyCount, progress.doneCount) = (0, 0)
        (presentCount, copiedCount) = (0, 0)
        (places, wanted, cursor, partial) = ([], [], 0, nil)
        unsurveyed = next.peer.shards
        proceed(now: now, into: &actions)
    }

    /// The peer does not answer, or returns nothing: the next one is asked, and this one later.
    ///
    /// - Parameter isSilent: whether it did not answer. Then it has nothing for the other shards of
    ///   this node either: it has died, as a rule.
    mutating func leavePeer(
        isSilent: Bool = false, now: Instant, into actions: inout [Action]
    ) {
        let retryAt = now.advanced(by: WarmUpLimits.retryInterval)
        if isSilent, let node = visit?.peer.arrival?.move.node {
            for index in visits.indices where visits[index].peer.arrival?.move.node == node {
                visits[index].triesLeft -= 1
                visits[index].notBefore = retryAt
            }
        }
        if var left = visit {
            left.triesLeft -= 1
            left.notBefore = retryAt
            visits.append(left)
        }
        visits.removeAll { $0.triesLeft <= 0 }
        visit = nil
        proceed(now: now, into: &actions)
    }

    /// The peer has no lease, as while the publisher is away, or is still starting: it is asked
    /// again later, and that does not count as a try unless it takes long.
    mutating func awaitPeer(now: Instant, into actions: inout [Action]) {
        guard var left = visit else { return }
        let end =
            left.awaitedUntil ?? left.endsAt ?? now.advanced(by: WarmUpLimits.replicaWaitMax)
        guard now < end else { return leavePeer(now: now, into: &actions) }
        left.awaitedUntil = end
        left.notBefore = now.advanced(by: WarmUpLimits.retryInterval)
        visits.append(left)
        visit = nil
        proceed(now: now, into: &actions)
    }

    /// A batch failed: it is requested once more, or its peer is left.
    mutating func again(_ batch: Wanted, now: Instant, into actions: inout [Action]) {
        partial = nil
        var batch = batch
        batch.triesLeft -= 1
        guard batch.triesLeft > 0 else { return leavePeer(now: now, into: &actions) }
        wanted.append(batch)
        rest(until: now.advanced(by: WarmUpLimits.batchRest))
    }

    private mutating func rest(until end: Instant) {
        step = .rest
        stepEnd = end
    }

    /// Begins a step that ends with its answer.
    mutating func begin(_ next: Step, now: Instant) -> UInt64 {
        step = next
        stepEnd = now.advanced(by: WarmUpLimits.answerTimeout)
        number += 1
        return number
    }

    /// The next keys for which there is space.
    private mutating func nextWanted() -> Wanted? {
        while let batch = wanted.popLast() {
            if !full.contains(FullPlace(shard: batch.shard, namespace: batch.namespace)) {
                return batch
            }
            progress.failedCount += batch.keys.count
        }
        return nil
    }

    private mutating func nextPlace() -> Place? {
        while let place = places.last {
            if own.shards.contains(where: { !isFull(Int($0.shard), place.namespace) }) {
                return place
            }
            places.removeLast()
            cursor = 0
        }
        return nil
    }

    private func isFull(_ shard: Int, _ namespace: Namespace) -> Bool {
        full.contains(FullPlace(shard: shard, namespace: namespace))
    }
}
