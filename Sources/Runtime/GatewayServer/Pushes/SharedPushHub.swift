import CacheAccess
import CacheModel
import GatewayCore
import MartletClient
import NIOCore
import Threading

/// The hub, its lock, and its connections.
///
///     log ──▶ PushFollower ─┐                       ┌─▶ event loop: WebSocketReader …
///     clock ─▶ PushService ─┼─▶ lock: PushHub ──────┤
///     connections ──────────┘     │                 └─▶ EventStreamReader …
///                                 └ bell ─▶ replays, a step at a time
///
/// Messages of the hub are passed on under the lock, so that each connection gets them in order.
/// Passing on only queues a message for an event loop: no thread blocks while holding the lock.
final class SharedPushHub: Sendable {
    struct State {
        var hub: PushHub
        /// By the subscriber's index.
        var readers: [Int: (id: SubscriberID, reader: any PushReader)] = [:]
        var actions: [PushAction] = []
    }

    /// Messages for the connections of one event loop.
    private struct Batch {
        struct Item {
            let reader: any PushReader
            let push: EncodedPush
            /// Of the last message.
            var ending: PushEnding?

            func pass() {
                if let ending { reader.end(push, ending) } else { reader.take(push) }
            }
        }

        let loop: any EventLoop
        var items: [Item] = []
    }

    let state: Guarded<State>
    /// Signals that replays can continue.
    let bell: AsyncStream<Void>
    private let ringer: AsyncStream<Void>.Continuation

    init(subscribersMax: Int) {
        state = Guarded(State(hub: PushHub(subscribersMax: subscribersMax)))
        (bell, ringer) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Connections

    /// Adds a connection: its first message is on its way.
    func subscribe(
        _ subscription: PushSubscription, _ reader: any PushReader,
        _ remember: (SubscriberID) -> Void
    ) throws(PushRefusal) {
        try state.withLock { (state) throws(PushRefusal) in
            let id = try state.hub.subscribe(
                subscription, now: MonotonicClock.now, into: &state.actions)
            remember(id)
            state.readers[id.slot] = (id, reader)
            perform(&state)
        }
    }

    func unsubscribe(_ id: SubscriberID) {
        state.withLock { state in
            state.hub.unsubscribe(id)
            if state.readers[id.slot]?.id == id { state.readers[id.slot] = nil }
        }
    }

    /// Connections have passed on bytes of messages.
    func taken(_ receipts: [(SubscriberID, Int)]) {
        tell { hub, now, _ in
            for (id, bytes) in receipts { hub.taken(id, bytes: bytes, now: now) }
        }
    }

    // MARK: The hub

    /// Passes an event to the hub and performs its actions.
    func tell(_ event: (inout PushHub, Instant, inout [PushAction]) -> Void) {
        state.withLock { state in
            event(&state.hub, MonotonicClock.now, &state.actions)
            perform(&state)
        }
    }

    /// The position after which to follow the log, and its cluster.
    var place: ClusterPosition? {
        state.withLock { state in
            state.hub.position.map { ClusterPosition($0, of: state.hub.cluster) }
        }
    }

    /// Continues replays.
    ///
    /// - Returns: whether there are more.
    func step() -> Bool {
        state.withLock { state in
            state.hub.step(now: MonotonicClock.now, into: &state.actions)
            perform(&state, rings: false)
            return state.hub.hasReplays
        }
    }

    private func perform(_ state: inout State, rings: Bool = true) {
        var batches: [ObjectIdentifier: Batch] = [:]
        for action in state.actions {
            switch action {
            case .send(let message, let ids):
                let push = EncodedPush(message, of: state.hub.cluster)
                for id in ids {
                    guard let reader = state.readers[id.slot]?.reader else { continue }
                    add(Batch.Item(reader: reader, push: push), &batches)
                }
            case .end(let id, let ending, let message):
                guard let (_, reader) = state.readers.removeValue(forKey: id.slot) else { continue }
                let push = EncodedPush(message)
                add(Batch.Item(reader: reader, push: push, ending: ending), &batches)
            }
        }
        state.actions.removeAll(keepingCapacity: true)
        for batch in batches.values { batch.loop.execute { self.deliver(batch.items) } }
        if rings, state.hub.hasReplays { ringer.yield() }
    }

    private func add(_ item: Batch.Item, _ batches: inout [ObjectIdentifier: Batch]) {
        guard let loop = item.reader.loop else { return item.pass() }
        batches[ObjectIdentifier(loop), default: Batch(loop: loop)].items.append(item)
    }

    /// On the event loop of all of them.
    private func deliver(_ items: [Batch.Item]) {
        let receipts = PushReceipts(self)
        var touched: [ObjectIdentifier: any PushReader] = [:]
        for item in items {
            item.pass()
            if item.ending == nil { touched[ObjectIdentifier(item.reader)] = item.reader }
        }
        for reader in touched.values { reader.flush(receipts) }
        receipts.close()
    }
}

extension SharedPushHub {
    /// The hub's counters, and the number of subscribers of each kind.
    ///
    /// - Complexity: O(subscribers).
    var figuresByTransport: (PushFigures, [PushTransport: Int]) {
        state.withLock { state in
            var counts: [PushTransport: Int] = [:]
            for (_, reader) in state.readers.values { counts[reader.transport, default: 0] += 1 }
            return (state.hub.snapshot, counts)
        }
    }
}

/// Receipts of the connections of one event loop, collected so that the hub is called once.
///
/// Only its event loop accesses it.
final class PushReceipts {
    private var passed: [(SubscriberID, Int)] = []
    private var isOpen = true
    private let sharedHub: SharedPushHub

    init(_ sharedHub: SharedPushHub) { self.sharedHub = sharedHub }

    func add(_ id: SubscriberID, _ bytes: Int) {
        guard isOpen else {
            sharedHub.taken([(id, bytes)])
            return
        }
        passed.append((id, bytes))
    }

    /// From now on each is reported at once.
    func close() {
        isOpen = false
        if !passed.isEmpty { sharedHub.taken(passed) }
        passed = []
    }
}
