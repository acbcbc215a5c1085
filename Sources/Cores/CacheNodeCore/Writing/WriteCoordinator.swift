import CacheInvalidation
import CacheLoading
import CacheModel

/// The writes that this shard has sent to origins, and the keys that it must not answer from its
/// entries meanwhile.
///
///     begin ─▶ WriteOrder ─▶ the node's queue ─▶ end: which operation of which message
struct WriteCoordinator {
    private let shard: UInt16
    private let names: OperationNames
    /// By number.
    private var underWay: [UInt64: PendingWrite] = [:]
    private var nextNumber: UInt64 = 1
    var heldKeys = HeldKeys()
    /// Writes for origins since the start, also those that were not sent, and those of them that
    /// were answered as queued.
    var count: UInt64 = 0
    var queuedCount: UInt64 = 0

    init(shard: ShardIndex, names: OperationNames) {
        self.shard = UInt16(shard.rawValue)
        self.names = names
    }

    /// The id of the next write.
    ///
    /// - Parameter asked: of its message: then the part `operation` of that, so that the origin
    ///   detects a repetition, otherwise a unique one.
    func nextID(asked: OperationID, _ operation: Int) -> OperationID {
        guard asked == .none else {
            return OperationID(high: asked.high, low: asked.low &+ UInt64(operation))
        }
        return names.name(nextNumber, of: .write(shard: shard))
    }

    mutating func begin(
        _ write: OriginWrite, for pending: PendingWrite, patience: Duration
    ) -> WriteOrder {
        underWay[nextNumber] = pending
        defer { nextNumber += 1 }
        return WriteOrder(
            ticket: WriteTicket(shard: shard, number: nextNumber), write: write,
            patience: patience)
    }

    /// A write has ended.
    ///
    /// - Returns: `nil` if none of that number is under way.
    mutating func end(_ number: UInt64) -> PendingWrite? { underWay.removeValue(forKey: number) }
}

/// Keys that a shard must not answer from its entries: they have accepted writes that the cache
/// does not contain.
struct HeldKeys {
    /// Until they are released.
    private var keys: Set<LoadKey> = []
    /// Until that position is applied here.
    private var leaving: [LoadKey: LogPosition] = [:]

    @inline(__always)
    var isEmpty: Bool { keys.isEmpty && leaving.isEmpty }

    mutating func hold(_ key: LoadKey) {
        keys.insert(key)
        leaving[key] = nil
    }

    /// The last of its writes is over, and its invalidation is published at that position.
    mutating func release(_ key: LoadKey, at position: LogPosition) {
        guard keys.remove(key) != nil else { return }
        leaving[key] = position
    }

    /// - Complexity: O(keys that leave).
    mutating func noteApplied(_ applied: LogPosition) {
        guard !leaving.isEmpty else { return }
        leaving = leaving.filter { $0.value > applied }
    }

    func contains(_ key: LoadKey) -> Bool { keys.contains(key) || leaving[key] != nil }
}
