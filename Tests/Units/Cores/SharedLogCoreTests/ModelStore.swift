import CacheModel
import SharedLogCore

/// A store with the semantics that a shared log relies on: linearizable transactions, leases that
/// remove their keys when the test says so, and revisions that grow.
struct ModelStore {
    struct Value: Equatable {
        var bytes: [UInt8]
        var lease: StoreLease?
    }

    private(set) var pairs: [String: Value] = [:]
    private(set) var revision: UInt64 = 1
    private var leases: Set<StoreLease> = []
    private var lastLease: Int64 = 0
    /// Whether keep-alives of leases that are over are confirmed, as by a leader that hangs.
    var confirmsFalsely = false

    mutating func execute(_ request: StoreRequest) -> StoreOutcome {
        switch request {
        case .transaction(let transaction): execute(transaction)
        case .grantLease:
            answer(.lease(grant()))
        case .keepAlive(let lease):
            answer(.keptAlive(isKnown: leases.contains(lease) || confirmsFalsely))
        case .revoke(let lease):
            end(lease)
        case .compact: answer(.compacted)
        }
    }

    private func answer(_ content: StoreAnswer.Content) -> StoreOutcome {
        .success(StoreAnswer(content, revision: revision))
    }

    private mutating func grant() -> StoreLease {
        lastLease += 1
        leases.insert(StoreLease(lastLease))
        return StoreLease(lastLease)
    }

    /// The lease is over.
    @discardableResult
    mutating func end(_ lease: StoreLease) -> StoreOutcome {
        leases.remove(lease)
        let before = pairs.count
        pairs = pairs.filter { $0.value.lease != lease }
        if pairs.count != before { revision += 1 }
        return answer(.revoked)
    }

    /// All leases are over.
    mutating func endLeases() { for lease in leases { end(lease) } }

    mutating func execute(_ transaction: StoreTransaction) -> StoreOutcome {
        let holds = transaction.conditions.allSatisfy { condition in
            switch condition {
            case .isAbsent(let key): pairs[key] == nil
            case .isEqual(let key, let bytes): pairs[key]?.bytes == bytes
            }
        }
        if holds {
            for case .put(_, _, let lease?) in transaction.changes where !leases.contains(lease) {
                return .failure(.refused("requested lease not found"))
            }
            for change in transaction.changes { make(change) }
            if !transaction.changes.isEmpty { revision += 1 }
        }
        let reads = holds ? transaction.reads : transaction.readsIfRefused
        let found = reads.map { read in
            let keys = pairs.keys.filter { read.range.contains($0) }.sorted()
            let some = read.countMax == 0 ? keys[...] : keys.prefix(read.countMax)
            return some.compactMap { key in pairs[key].map { StorePair(key, $0.bytes) } }
        }
        return answer(.transaction(isExecuted: holds, pairs: found))
    }

    private mutating func make(_ change: StoreTransaction.Change) {
        switch change {
        case .put(let key, let bytes, let lease): pairs[key] = Value(bytes: bytes, lease: lease)
        case .remove(let range): pairs = pairs.filter { !range.contains($0.key) }
        }
    }

    mutating func put(_ key: String, _ text: String) {
        pairs[key] = Value(bytes: Array(text.utf8))
        revision += 1
    }

    func text(_ key: String) -> String? {
        pairs[key].map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
