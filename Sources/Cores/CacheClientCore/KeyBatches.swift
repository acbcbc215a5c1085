import CacheModel

/// Keys that wait to be invalidated, cut into batches that one record holds.
struct KeyBatches: Sendable {
    private let keysMax: Int
    private let scopeBytes: Int
    private(set) var waiting: [CacheKey] = []
    /// Those before it were taken: less than half of them.
    private var head = 0
    /// Of those that wait, as scopes.
    private var byteCount = 0

    /// - Parameter keysMax: keys of one batch, at least 1.
    init(keysMax: Int, in namespace: Namespace) {
        precondition(keysMax > 0, "a batch without keys is none")
        self.keysMax = min(keysMax, InvalidationRecord.scopesMax)
        scopeBytes = 8 + namespace.name.utf8.count
    }

    var isEmpty: Bool { head == waiting.count }
    var isFull: Bool {
        waiting.count - head >= keysMax || byteCount >= ClientLimits.batchScopesBytesMax
    }

    mutating func append(_ key: CacheKey) {
        waiting.append(key)
        byteCount += scopeBytes + key.bytes.count
    }

    /// Takes the next batch, in the order in which the keys came.
    ///
    /// - Complexity: O(keys of the batch), amortised.
    mutating func take() -> [CacheKey] {
        var (end, bytes) = (head, 0)
        while end < waiting.count, end - head < keysMax {
            let next = scopeBytes + waiting[end].bytes.count
            guard bytes + next <= ClientLimits.batchScopesBytesMax else { break }
            bytes += next
            end += 1
        }
        let batch = Array(waiting[head..<end])
        byteCount -= bytes
        head = end
        if head >= waiting.count - head {
            waiting.removeFirst(head)
            head = 0
        }
        return batch
    }
}
