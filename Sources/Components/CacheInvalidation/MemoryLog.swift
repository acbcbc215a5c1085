package import CacheModel
import DequeModule

/// A log that ends with its process, bounded by records and by bytes; the oldest are dropped first.
/// Digests are kept for longer, to compare marks with.
///
/// Records are kept as the bytes that they are, and decoded when they are read.
package struct MemoryLog: InvalidationLog {
    package private(set) var id: LogID
    package private(set) var head = LogMark.none
    package private(set) var hasHistory = false
    private var records = RecordWindow()
    private let decode: RecordDecoding
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
    ///   - decode: gives back what was sealed.
    package init(
        id: LogID, recordsMax: Int = InvalidationLimits.logRecordsMax,
        bytesMax: Int = InvalidationLimits.logBytesMax, digestsMax: Int = 1,
        decode: @escaping RecordDecoding
    ) {
        precondition(id != .none, "a log has a name, and zero is none")
        precondition(recordsMax > 0 && bytesMax > 0, "a log without room could replay nothing")
        self.id = id
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
        self.digestsMax = max(digestsMax, recordsMax + 1)
        self.decode = decode
    }

    /// Encoded bytes of the records that are kept.
    package var keptBytes: Int { records.byteCount }

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
        precondition(hasHistory, "a log knows its position before it continues")
        precondition(epoch > head.position.epoch, "an epoch never comes back")
        stand(
            at: LogMark(
                position: LogPosition(epoch: epoch, sequence: .none),
                digest: LogDigest(startOf: id)))
    }

    private mutating func stand(at mark: LogMark) {
        records.removeAll()
        digests = [mark.digest]
        head = mark
        checkInvariants()
    }

    package var outlivesItsProcess: Bool { false }
    package var inheritedLease: Duration? { nil }

    @discardableResult
    package mutating func append(
        _ batch: [SealedRecord], expecting expected: LogMark
    ) throws(LogRefusal) -> LogProgress {
        precondition(hasHistory, "a log knows its position before it continues")
        guard expected == head else { throw .unexpectedHead(head) }
        guard Self.isChain(batch, after: head) else { throw .notContiguous }
        for sealed in batch {
            records.append(sealed.bytes)
            digests.append(sealed.digest)
        }
        head = batch.last?.mark ?? head
        while records.count > recordsMax || keptBytes > bytesMax { records.removeFirst() }
        if digests.count > digestsMax { digests.removeFirst(digests.count - digestsMax) }
        checkInvariants()
        return .done
    }

    /// Nothing is ever under way in memory.
    package mutating func finish(_ outcome: LogOutcome) {}

    /// May return fewer than there are: what is decoded at a time is half a MiB, or one record.
    ///
    /// - Complexity: O(`limit`).
    package func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        // Behind the last number of an epoch there is a tail, and no number.
        let next = sequence.rawValue + 1
        guard sequence <= head.position.sequence, next >= tail.rawValue else { return nil }
        let first = Int(next - tail.rawValue)
        var (found, bytes) = ([SealedRecord](), 0)
        records.forEach(from: first) { encoded in
            bytes += encoded.count
            let hasRoom = found.isEmpty || bytes <= InvalidationLimits.readBytesMax
            guard found.count < limit, hasRoom else { return false }
            found.append(decode(encoded))
            return true
        }
        return found
    }

    package func digest(at sequence: SequenceNumber) -> LogDigest? {
        guard hasHistory, sequence <= head.position.sequence else { return nil }
        let back = head.position.sequence.rawValue - sequence.rawValue
        guard back < UInt64(digests.count) else { return nil }
        return digests[digests.count - 1 - Int(back)]
    }
}

extension MemoryLog {
    /// Proves that what is kept ends at the head, while it is little.
    private func checkInvariants() {
        #if CACHE_CHECKED
            precondition(records.count <= recordsMax, "the log outgrew its bound")
            precondition(digests.last == head.digest, "the newest digest is the head's")
            guard records.count <= 64 else { return }
            var (bytes, last) = (0, SealedRecord?.none)
            records.forEach(from: 0) {
                bytes += $0.count
                last = decode($0)
                return true
            }
            precondition(last.map { $0.mark == head } ?? true, "the head is the last record")
            precondition(bytes == keptBytes, "the byte count drifted from the records")
        #endif
    }
}

/// Decodes a record from the bytes that it was sealed as. This module knows no bytes of the wire:
/// the creator of a log that keeps encoded records passes the decoder.
package typealias RecordDecoding = @Sendable (UnsafeRawBufferPointer) -> SealedRecord

/// Where a log begins after its files were judged. The log on disk and the simulated one share
/// this.
extension MemoryLog {
    /// Continues the log that was found, or begins a new epoch.
    ///
    /// The new epoch is of a log with the id that this value was made with: a log that was set back
    /// may open an epoch that was used before, and nodes know that one under another log's id. If
    /// no earlier epoch is known, the log has no place, and the nodes are asked.
    ///
    /// - Parameter clustersEpoch: the last epoch of this cluster's log, as far as it is known. No
    ///   other log of the cluster begins in an epoch that it has had.
    /// - Returns: whether it begins an epoch that is not on the disk yet.
    package mutating func stand(
        on verdict: LogRecovery.Verdict, isNewEpochWanted: Bool = false,
        clustersEpoch: Epoch = .none
    ) -> Bool {
        switch verdict {
        case .whole(let whole) where !isNewEpochWanted:
            continueHistory(of: whole.log, from: whole.head)
            return false
        case .whole(let whole):
            return begin(after: max(whole.head.position.epoch, clustersEpoch))
        case .broken(_, let greatest) where greatest != .none:
            return begin(after: max(greatest, clustersEpoch))
        case .broken, .empty: return false
        }
    }

    private mutating func begin(after greatest: Epoch) -> Bool {
        guard greatest.rawValue < .max else { return false }
        let epoch = greatest.next
        let start = LogMark(
            position: LogPosition(epoch: epoch, sequence: .none), digest: LogDigest(startOf: id))
        continueHistory(of: id, from: start)
        return true
    }
}
