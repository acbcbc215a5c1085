import CacheModel
import CacheWire

/// Sealed records that follow each other, made for a test.
enum Chain {
    static let log = LogID(0xA0)

    static func start(of log: LogID = log, epoch: UInt32 = 1) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: .none),
            digest: LogDigest(startOf: log))
    }

    /// `count` records after `mark`; `salt` makes them unlike others at the same positions.
    static func records(_ count: Int, after mark: LogMark, salt: UInt64 = 0) throws
        -> [SealedRecord]
    {
        var mark = mark
        return try (0..<count).map { _ in
            let sealed = try SealedRecord(
                sealing: InvalidationRecord(
                    position: mark.position.next, previousDigest: mark.digest,
                    operation: OperationID(high: salt, low: 1), strength: .hard,
                    scopes: [Scope(.everything)]))
            mark = sealed.mark
            return sealed
        }
    }
}

extension LogPosition {
    static func at(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }
}

extension Instant {
    static func seconds(_ seconds: Double) -> Instant {
        Instant(nanoseconds: UInt64(seconds * 1e9))
    }
}
