package import CacheModel
import DequeModule

/// A log that lives and dies with its process, bounded by records and by bytes; the oldest are
/// dropped first. Digests are kept for longer: they are what marks are compared with.
package struct MemoryLog: InvalidationLog {
    package private(set) var id: LogID
    package private(set) var head = LogMark.none
    package private(set) var hasHistory = false
    private var records: Deque<SealedRecord> = []
    /// Encoded bytes of `records`.
    package private(set) var keptBytes = 0
    private let recordsMax: Int
    private let bytesMax: Int
    /// Of the newest positions, up to and including the head's.
    private var digests: Deque<LogDigest> = []
    private let digestsMax: Int

    /// A log without a history.
    ///
    /// - Parameters:
    ///   - id: drawn at random; it names the log unless it continues another.
    ///   - digestsMax: digests that are known beside those of the records, at least one.
    package init(
        id: LogID, recordsMax: Int = InvalidationLimits.logRecordsMax,
        bytesMax: Int = InvalidationLimits.logBytesMax, digestsMax: Int = 1
    ) {
        precondition(id != .none, "a log has a name, and zero is none")
        precondition(recordsMax > 0 && bytesMax > 0, "a log without room could replay nothing")
        self.id = id
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
        self.digestsMax = max(digestsMax, recordsMax + 1)
    }

    package var tail: SequenceNumber {
        SequenceNumber(head.position.sequence.rawValue - UInt64(records.count) + 1)
    }

    package mutating func continueHistory(of id: LogID, from head: LogMark) {
        precondition(id != .none, "a log has a name, and zero is none")
        precondition(head.position.epoch != .none, "the epochs of a log begin with 1")
        self.id = id
        stand(at: head)
        hasHistory = true
    }

    package mutating func open(_ epoch: Epoch) {
        precondition(hasHistory, "a log learns where it stands before it goes on")
        precondition(epoch > head.position.epoch, "an epoch never comes back")
        stand(
            at: LogMark(
                position: LogPosition(epoch: epoch, sequence: .none),
                digest: LogDigest(startOf: id)))
    }

    private mutating func stand(at mark: LogMark) {
        records.removeAll()
        keptBytes = 0
        digests = [mark.digest]
        head = mark
        checkInvariants()
    }

    package var outlivesItsProcess: Bool { false }
    package var inheritedLease: Duration { .zero }

    @discardableResult
    package mutating func append(
        _ batch: [SealedRecord], expecting expected: LogMark
    ) throws(LogRefusal) -> LogProgress {
        precondition(hasHistory, "a log learns where it stands before it goes on")
        guard expected == head else { throw .unexpectedHead(head) }
        guard Self.isChain(batch, after: head) else { throw .notContiguous }
        for sealed in batch {
            records.append(sealed)
            keptBytes += sealed.bytes.count
            digests.append(sealed.digest)
        }
        head = batch.last?.mark ?? head
        while records.count > recordsMax || keptBytes > bytesMax, let oldest = records.popFirst() {
            keptBytes -= oldest.bytes.count
        }
        if digests.count > digestsMax { digests.removeFirst(digests.count - digestsMax) }
        checkInvariants()
        return .done
    }

    /// Nothing is ever under way in memory.
    package mutating func finish(_ outcome: LogOutcome) {}

    /// - Complexity: O(`limit`).
    package func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        guard sequence <= head.position.sequence, sequence.next >= tail else { return nil }
        let first = Int(sequence.next.rawValue - tail.rawValue)
        return Array(records[first..<min(first + max(limit, 0), records.count)])
    }

    package func digest(at sequence: SequenceNumber) -> LogDigest? {
        guard hasHistory, sequence <= head.position.sequence else { return nil }
        let back = head.position.sequence.rawValue - sequence.rawValue
        guard back < UInt64(digests.count) else { return nil }
        return digests[digests.count - 1 - Int(back)]
    }
}

extension MemoryLog {
    /// Proves that what is kept is a chain that ends at the head. O(1) per record at both ends,
    /// O(records) for the bytes only while they are few.
    private func checkInvariants() {
        #if CACHE_CHECKED
            precondition(records.count <= recordsMax, "the log outgrew its bound")
            precondition(
                records.last.map { $0.mark == head } ?? true, "the head is the last record")
            precondition(digests.last == head.digest, "the newest digest is the head's")
            guard records.count <= 64 else { return }
            let bytes = records.reduce(0) { $0 + $1.bytes.count }
            precondition(bytes == keptBytes, "the byte count drifted from the records")
        #endif
    }
}
