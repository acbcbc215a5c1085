import CacheInvalidation
import CacheModel
import EtcdStorage
import SharedLogCore
import Storage
import Threading

/// The thread that stores a publisher's log and what is kept beside it; every outcome comes back
/// as a letter.
enum StorageThread: Sendable {
    case memory
    case files(LogKeeper)
    /// etcd, in the term of leadership of this number.
    case etcd(EtcdKeeper, TermID)

    /// Whether the floors of the log are saved now and then.
    var savesFloors: Bool {
        if case .files = self { true } else { false }
    }

    /// Stores these bytes beside the log, in place of those before.
    func keep(_ bytes: [UInt8], as state: LogState) {
        switch self {
        case .memory: break
        case .files(let keeper): keeper.keep(bytes, as: state)
        case .etcd(let keeper, let term):
            keeper.send(.write(.store(StateName(state), bytes), of: term))
        }
    }

    /// Leases of this length are wanted from now on. A log on etcd orders itself what is stored.
    func keep(lease: Duration) {
        guard case .files(let keeper) = self else { return }
        keeper.note(leaseMilliseconds: UInt32(clamping: lease.wholeMilliseconds))
    }

    func save(_ floors: FloorSnapshot) {
        if case .files(let keeper) = self { keeper.save(floors) }
    }
}

/// A log that a publisher's thread serves, and what that thread does for it beside the core.
protocol ServedLog: InvalidationLog {
    /// Hands what the log wants written to the thread that writes.
    mutating func handOrders(to storage: StorageThread)
    /// Takes over the counters of the store for STATUS.
    mutating func noteFigures(of storage: StorageThread)
    /// The epoch that begins with this mark is stored.
    mutating func begun(at mark: LogMark)
    /// Leases of this length are wanted.
    mutating func want(lease: Duration, now: Instant)
    /// The lease that was ordered last is known to later publishers, or cannot be stored.
    mutating func leaseEnded(isStored: Bool, now: Instant)
}

extension ServedLog {
    mutating func handOrders(to storage: StorageThread) {}
    mutating func noteFigures(of storage: StorageThread) {}
    mutating func begun(at mark: LogMark) {}
    mutating func want(lease: Duration, now: Instant) {}
    mutating func leaseEnded(isStored: Bool, now: Instant) {}
}

extension MemoryLog: ServedLog {}

extension FileLog: ServedLog {}

extension SharedLog: ServedLog {
    mutating func handOrders(to storage: StorageThread) {
        guard case .etcd(let keeper, let term) = storage else { return }
        for order in takeOrders() { keeper.send(.write(order, of: term)) }
    }

    mutating func noteFigures(of storage: StorageThread) {
        guard case .etcd(let keeper, _) = storage else { return }
        let standing = keeper.standing
        storeFigures =
            [LogFigure("leading", standing.leads ? 1 : 0)]
            + standing.figures(among: keeper.publishers, now: MonotonicClock.now)
    }
}
