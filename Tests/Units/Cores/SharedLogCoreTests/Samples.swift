import CacheInvalidation
import CacheModel
import CacheWire
import SharedLogCore
import Testing

let keys = SharedKeys(prefix: "/martlet/shop/")
let logID = LogID(0xA1)

extension Instant {
    /// Milliseconds since the test began.
    static func milliseconds(_ count: Int) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000).advanced(by: .milliseconds(count))
    }
}

extension LogMark {
    /// The beginning of an epoch.
    static func start(_ epoch: UInt32 = 1) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: .none),
            digest: LogDigest(startOf: logID))
    }
}

/// Records that follow `mark`, each of one key.
func records(_ count: Int, after mark: LogMark, named name: String = "k") throws -> [SealedRecord] {
    var mark = mark
    return try (0..<count).map { number in
        let key = try #require(CacheKey("\(name)\(number)"))
        let record = InvalidationRecord(
            position: mark.position.next, previousDigest: mark.digest,
            operation: OperationID(high: mark.digest.rawValue, low: UInt64(number + 1)),
            strength: .hard, scopes: [Scope(.key(key, in: .default))])
        let sealed = try SealedRecord(sealing: record)
        mark = sealed.mark
        return sealed
    }
}

func leaderValue(_ number: UInt64) -> LeaderValue {
    LeaderValue(
        term: TermID(number), publisher: "p\(number)", control: "tcp://127.0.0.1:\(7_000 + number)",
        live: "tcp://127.0.0.1:\(8_000 + number)")
}
