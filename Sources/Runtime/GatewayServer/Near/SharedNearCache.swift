import CacheHTTP
import CacheModel
import MartletClient
import GatewayCore
import Threading

/// The near cache, its lock and its clock.
///
/// Used by connections on their event loops and by their tasks, filled and invalidated by
/// ``PushFollower``. No thread blocks while holding the lock.
final class SharedNearCache: Sendable {
    private let cache: Guarded<NearCache>

    init(_ options: GatewayOptions.Near) {
        cache = Guarded(NearCache(bytesMax: options.bytesMax, ageMax: options.ageMax))
    }

    var figures: NearFigures { cache.withLock { $0.figures } }

    /// The cached value. Unlike ``value(for:)`` it counts nothing if the key is not there.
    func knownValue(for order: ReadOrder) -> FoundValue? {
        let key = NearKey(order.key, in: order.namespace)
        guard cache.withLock({ $0.has(key) }) else { return nil }
        return value(for: order)
    }

    func value(for order: ReadOrder) -> FoundValue? {
        cache.withLock {
            $0.value(
                for: NearKey(order.key, in: order.namespace), order.terms, at: MonotonicClock.now)
        }
    }

    func ticket(for order: ReadOrder) -> NearTicket {
        cache.withLock {
            $0.ticket(for: NearKey(order.key, in: order.namespace), at: MonotonicClock.now)
        }
    }

    func keep(_ value: FoundValue, for order: ReadOrder, since ticket: NearTicket) {
        cache.withLock {
            $0.keep(
                value, for: NearKey(order.key, in: order.namespace), since: ticket,
                at: MonotonicClock.now)
        }
    }

    /// Applies an event of the log.
    func hear(_ event: InvalidationStream.Event) {
        cache.withLock { cache in
            switch event {
            case .record(let record): cache.heard(record)
            case .lost(_, let position): cache.follows(after: position)
            case .heartbeat(let head): cache.beat(head: head)
            }
        }
    }

    func follows(after position: LogPosition) {
        cache.withLock { $0.follows(after: position) }
    }

    func cut() { cache.withLock { $0.cut() } }

    fileprivate func forget(_ scopes: [Scope]) { cache.withLock { $0.forget(scopes) } }
}

extension SharedNearCache? {
    /// Makes a change, and removes the covered entries before and after.
    func changing<Outcome, Failure>(
        _ scopes: [Scope], _ change: () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome {
        self?.forget(scopes)
        defer { self?.forget(scopes) }
        return try await change()
    }
}
