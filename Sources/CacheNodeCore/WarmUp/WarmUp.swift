package import CacheLoading
package import CacheModel
import HeapModule

/// How a node that has just become LIVE is warmed up: it asks a replica for its hot keys, and then
/// has them loaded as nobody waits for them.
///
///     idle ──begin──▶ asking ─────────────────▶ loading ──last key──▶ over
///                       │ a page for each        │ hottest first,
///                       │ namespace and shard    │ by PrefetchPace
///                       └ no answer: next peer   └ pushed back: again, twice at most
///                       stop, from anywhere ─────────────────────────▶ over
///
/// One thread of a node owns it. It is told what happened and appends what is to be done; values
/// are loaded by the node's own shards, by the same rules as for an operator's prefetch.
///
/// ### What the shell owes
/// To ask every question of a peer's shard and say ``answered(_:_:now:into:)`` or
/// ``unanswered(_:now:into:)`` once; to have every key loaded and say ``ended(_:_:now:into:)``
/// once; to call ``timeIsUp(now:into:)`` at ``nextDeadline``. What comes after ``stop(into:)`` is
/// passed over.
package struct WarmUp: Sendable {
    /// A replica that may be asked.
    package struct Peer: Hashable, Sendable {
        package var node: NodeID
        package var shardCount: Int

        package init(node: NodeID, shardCount: Int) {
            self.node = node
            self.shardCount = shardCount
        }
    }

    /// A page of the hottest that a peer's shard is asked for.
    package struct Question: Hashable, Sendable {
        /// By which its answer is told.
        package var number: UInt64
        package var peer: NodeID
        package var shard: Int
        package var namespace: Namespace
        package var cursor: UInt64
        package var limit: Int
    }

    /// A key that a peer is asked for.
    package struct HotKey: Hashable, Sendable {
        package var key: CacheKey
        package var heat: UInt16

        package init(key: CacheKey, heat: UInt16) {
            self.key = key
            self.heat = heat
        }
    }

    /// What a peer's shard answered.
    package struct Page: Hashable, Sendable {
        package var keys: [HotKey]
        /// 0: that was the last.
        package var nextCursor: UInt64

        package init(keys: [HotKey], nextCursor: UInt64) {
            self.keys = keys
            self.nextCursor = nextCursor
        }
    }

    /// A key that is to be loaded.
    package struct Order: Hashable, Sendable {
        package var number: UInt64
        package var namespace: Namespace
        package var key: CacheKey
    }

    /// What became of an order.
    package enum Ending: Hashable, Sendable {
        /// It is there now, or known not to exist.
        case done
        case failed
        /// There was no room; perhaps when there may be.
        case pushedBack(retryAfter: Duration?)
    }

    package enum Action: Hashable, Sendable {
        case ask(Question)
        case load(Order)
        case over(Progress)
    }

    /// How far it is.
    package struct Progress: Hashable, Sendable {
        package enum Phase: UInt8, Sendable {
            case idle = 0
            case asking = 1
            case loading = 2
            /// To its end.
            case done = 3
            /// The node left or stopped before.
            case stopped = 4
        }

        package var phase = Phase.idle
        /// Who gave the keys; `nil`: nobody yet.
        package var peer: NodeID?
        package var keyCount = 0
        package var doneCount = 0
        package var failedCount = 0
    }

    private struct Candidate: Comparable, Sendable {
        var namespace: Namespace
        var hot: HotKey
        var number: Int

        /// The colder first; of two as hot the one that came later.
        static func < (left: Self, right: Self) -> Bool {
            (left.hot.heat, right.number) < (right.hot.heat, left.number)
        }
    }

    private struct Waiting: Sendable {
        var namespace: Namespace
        var key: CacheKey
        var triesLeft: Int
    }

    private let settings: WarmUpSettings
    package private(set) var progress = Progress()
    private var peers: ArraySlice<Peer> = []
    private var namespaces: [Namespace] = []
    /// Shards and namespaces of the peer that are still to be asked, the next one last.
    private var places: [(shard: Int, namespace: Namespace)] = []
    private var pagesLeft = 0
    private var question: Question?
    private var questionEnd: Instant?
    private var candidates = Heap<Candidate>()
    private var candidateCount = 0
    private var pace: PrefetchPace?
    private var waiting: [Waiting] = []
    private var underWay: [UInt64: Waiting] = [:]
    private var restEnd: Instant?
    private var nextNumber: UInt64 = 1

    package init(_ settings: WarmUpSettings) {
        self.settings = settings
    }

    /// When something happens by itself; `nil`: nothing does.
    package var nextDeadline: Instant? {
        switch progress.phase {
        case .asking: questionEnd
        case .loading: restEnd
        case .idle, .done, .stopped: nil
        }
    }

    private var isOver: Bool { progress.phase == .done || progress.phase == .stopped }

    /// The node is LIVE for the first time.
    ///
    /// - Parameters:
    ///   - peers: live replicas, in the order in which they may be asked.
    ///   - namespaces: those with an origin.
    package mutating func begin(
        _ peers: [Peer], _ namespaces: [Namespace], now: Instant, into actions: inout [Action]
    ) {
        guard progress.phase == .idle else { return }
        guard settings.source == .peers, !namespaces.isEmpty else { return end(.done, &actions) }
        progress.phase = .asking
        self.peers = peers[...]
        self.namespaces = namespaces
        askNextPeer(now: now, into: &actions)
    }

    /// The node leaves or stops: nothing more is asked for.
    package mutating func stop(into actions: inout [Action]) {
        guard !isOver else { return }
        end(.stopped, &actions)
    }

    private mutating func end(_ phase: Progress.Phase, _ actions: inout [Action]) {
        progress.phase = phase
        (question, questionEnd, restEnd) = (nil, nil, nil)
        (waiting, underWay) = ([], [:])
        candidates = Heap()
        actions.append(.over(progress))
    }

    // MARK: Asking

    private mutating func askNextPeer(now: Instant, into actions: inout [Action]) {
        guard let peer = peers.popFirst() else { return load(now: now, into: &actions) }
        progress.peer = peer.node
        places = namespaces.reversed().flatMap { namespace in
            (0..<peer.shardCount).reversed().map { (shard: $0, namespace: namespace) }
        }
        pagesLeft = WarmUpLimits.pagesPerPlaceMax
        ask(cursor: 0, now: now, into: &actions)
    }

    private mutating func ask(
        cursor: UInt64, now: Instant, into actions: inout [Action]
    ) {
        guard let place = places.last, let peer = progress.peer else {
            // A peer that is as cold as this node is no help.
            return candidates.isEmpty
                ? askNextPeer(now: now, into: &actions) : load(now: now, into: &actions)
        }
        let next = Question(
            number: nextNumber, peer: peer, shard: place.shard, namespace: place.namespace,
            cursor: cursor, limit: min(settings.keysMax, WarmUpLimits.keysPerPageMax))
        nextNumber += 1
        question = next
        questionEnd = now.advanced(by: WarmUpLimits.answerTimeout)
        actions.append(.ask(next))
    }

    /// A peer's shard has answered. Another question than the last one is passed over.
    package mutating func answered(
        _ number: UInt64, _ page: Page, now: Instant, into actions: inout [Action]
    ) {
        guard let asked = question, asked.number == number else { return }
        for hot in page.keys { keep(hot, in: asked.namespace) }
        pagesLeft -= 1
        if page.nextCursor != 0, pagesLeft > 0 {
            return ask(cursor: page.nextCursor, now: now, into: &actions)
        }
        places.removeLast()
        pagesLeft = WarmUpLimits.pagesPerPlaceMax
        ask(cursor: 0, now: now, into: &actions)
    }

    private mutating func keep(_ hot: HotKey, in namespace: Namespace) {
        let isFull = candidates.count >= settings.keysMax
        if isFull, let coldest = candidates.min, hot.heat <= coldest.hot.heat { return }
        if isFull { candidates.removeMin() }
        candidateCount += 1
        candidates.insert(Candidate(namespace: namespace, hot: hot, number: candidateCount))
    }

    /// A peer's shard cannot be asked, or refuses: the next peer is, for everything. What was
    /// heard so far counts.
    package mutating func unanswered(
        _ number: UInt64, now: Instant, into actions: inout [Action]
    ) {
        guard question?.number == number else { return }
        askNextPeer(now: now, into: &actions)
    }

    // MARK: Loading

    private mutating func load(now: Instant, into actions: inout [Action]) {
        (question, questionEnd) = (nil, nil)
        var seen: Set<Place> = []
        // The next one last, so that it leaves without moving the others.
        while let coldest = candidates.popMin() {
            waiting.append(
                Waiting(
                    namespace: coldest.namespace, key: coldest.hot.key,
                    triesLeft: WarmUpLimits.triesMax))
        }
        waiting = waiting.reversed().filter {
            seen.insert(Place(namespace: $0.namespace, key: $0.key)).inserted
        }.reversed()
        progress.keyCount = waiting.count
        progress.phase = .loading
        pace = PrefetchPace(
            perSecond: settings.perSecond, inFlightMax: WarmUpLimits.inFlightMax, now: now)
        proceed(now: now, into: &actions)
    }

    /// A key with its namespace: two peers may have told of it.
    private struct Place: Hashable {
        var namespace: Namespace
        var key: CacheKey
    }

    /// A key has been loaded, or was not. One that is not known is passed over.
    package mutating func ended(
        _ number: UInt64, _ ending: Ending, now: Instant, into actions: inout [Action]
    ) {
        guard var order = underWay.removeValue(forKey: number) else { return }
        switch ending {
        case .done:
            pace?.endedWell()
            progress.doneCount += 1
        case .failed:
            pace?.endedWell()
            progress.failedCount += 1
        case .pushedBack(let retryAfter):
            pace?.pushedBack(retryAfter: retryAfter, now: now)
            order.triesLeft -= 1
            if order.triesLeft > 0 {
                waiting.append(order)
            } else {
                progress.failedCount += 1
            }
        }
        proceed(now: now, into: &actions)
    }

    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        if let question {
            unanswered(question.number, now: now, into: &actions)
        } else {
            proceed(now: now, into: &actions)
        }
    }

    private mutating func proceed(now: Instant, into actions: inout [Action]) {
        restEnd = nil
        while let next = waiting.last, let step = pace?.next(now: now) {
            switch step {
            case .ask:
                waiting.removeLast()
                underWay[nextNumber] = next
                actions.append(
                    .load(Order(number: nextNumber, namespace: next.namespace, key: next.key)))
                nextNumber += 1
            case .full: return
            case .rest(let until):
                restEnd = until
                return
            }
        }
        if waiting.isEmpty, underWay.isEmpty { end(.done, &actions) }
    }
}
