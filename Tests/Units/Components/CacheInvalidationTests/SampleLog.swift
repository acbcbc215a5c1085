import CacheInvalidation
import CacheModel
import CacheWire
import Testing

/// A publisher's log for transcripts: digest-linked records by number.
struct SampleLog {
    let id: LogID
    let epoch: Epoch
    private(set) var records: [SealedRecord] = []
    private let start: LogDigest

    /// - Parameter word: what the records' tags are called. Two logs with another word have other
    ///   digests at equal numbers.
    init(
        id: UInt64 = 7, epoch: UInt32 = 1, count: Int = 0, word: String = "t",
        after digest: LogDigest? = nil
    ) throws {
        self.id = LogID(id)
        self.epoch = Epoch(epoch)
        start = digest ?? LogDigest(startOf: LogID(id))
        for _ in 0..<count { try append(word) }
    }

    mutating func append(_ word: String = "t") throws {
        let sequence = SequenceNumber(UInt64(records.count + 1))
        let tag = try #require(Tag("\(word)\(sequence)"))
        records.append(
            try SealedRecord(
                sealing: InvalidationRecord(
                    position: LogPosition(epoch: epoch, sequence: sequence),
                    previousDigest: records.last?.digest ?? start, operation: .none,
                    strength: .hard, scopes: [Scope(.tag(tag, in: .default))])))
    }

    subscript(_ number: Int) -> SealedRecord { records[number - 1] }

    subscript(_ numbers: ClosedRange<Int>) -> [SealedRecord] { numbers.map { self[$0] } }

    /// The log's claim after its record `number`; 0 is before all.
    func mark(_ number: Int) -> LogMark {
        guard number > 0 else {
            return LogMark(position: LogPosition(epoch: epoch, sequence: .none), digest: start)
        }
        return self[number].mark
    }

    var head: LogMark { mark(records.count) }

    /// A subscriber that was welcomed at `number` of this log.
    func subscriber(at number: Int) -> Subscriber {
        var subscriber = Subscriber()
        _ = subscriber.welcomed(log: id, head: mark(number))
        return subscriber
    }

    /// What a publisher of this log would answer to `action`, at most `limit` records at a time.
    func replay(after mark: LogMark, limit: Int = 4_096) -> [SealedRecord] {
        Array(records.drop { $0.position <= mark.position }.prefix(limit))
    }
}
