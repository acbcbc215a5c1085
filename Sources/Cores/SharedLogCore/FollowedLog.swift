package import CacheInvalidation
package import CacheModel
import CacheWire

/// A publisher's copy of the log in the store: the kept records, the names that they touch, and the
/// operations that they did. A standby keeps it up to date, and a leader begins with it.
///
/// It trusts no read: records are taken only where the chain of digests goes on. Records may be
/// missing from a read because the leader has removed old ones meanwhile, and the store says
/// nothing about that.
package struct FollowedLog {
    /// What a read shows of the leader.
    package struct Progress: Equatable {
        /// `nil`: there is none, or its value cannot be read.
        package let leader: LeaderValue?
        /// Whether there is a leader.
        package let isLed: Bool
    }

    /// How much of the log is kept.
    package struct Bounds: Sendable {
        /// The id of the log if the store has none: drawn at random.
        package let freshID: LogID
        package let recordsMax: Int
        package let bytesMax: Int

        package init(freshID: LogID, recordsMax: Int, bytesMax: Int) {
            self.freshID = freshID
            self.recordsMax = recordsMax
            self.bytesMax = bytesMax
        }
    }

    private let keys: SharedKeys
    private let bounds: Bounds
    /// The records that are known; without a history before the first head was read.
    package private(set) var window: MemoryLog
    /// Of the records in ``window``, or more where floors were stored.
    package private(set) var floors: FloorSnapshot?
    package private(set) var operations: OperationMemory
    /// The batches in the store that were read, oldest first.
    package private(set) var batches: [StoredBatch] = []
    /// The head of the last read.
    package private(set) var head: HeadValue?
    /// Whether a read contradicted what was known of an epoch: the store was set back, and has been
    /// written since. Until a later epoch says so.
    package private(set) var isContradicted = false
    /// Batches that the next read asks for.
    private var batchesPerRead = SharedLogLimits.batchesPerRead
    /// When the last read that was answered was sent; `nil` before the first.
    private var readAt: Instant?

    package init(_ keys: SharedKeys, _ bounds: Bounds) {
        self.keys = keys
        self.bounds = bounds
        window = Self.emptyWindow(bounds)
        operations = Self.noOperations
    }

    private static func emptyWindow(_ bounds: Bounds) -> MemoryLog {
        MemoryLog(
            id: bounds.freshID, recordsMax: bounds.recordsMax, bytesMax: bounds.bytesMax,
            decode: SealedRecord.kept)
    }

    private static var noOperations: OperationMemory {
        OperationMemory(operationsMax: InvalidationLimits.sharedOperationsMax)
    }

    /// Whether the last read shows more than is known, or there was none.
    package var isBehind: Bool {
        guard readAt != nil, let head else { return readAt == nil }
        return !isAtHead(head)
    }

    /// Whether a read that was sent at `time` or later shows nothing that is not known.
    package func isCaughtUp(since time: Instant) -> Bool {
        guard let readAt, time < readAt else { return false }
        return !isBehind
    }

    /// Forgets what is known if it is not, or no longer, of the store's log.
    private mutating func check(_ next: HeadValue, _ key: String) throws(Damage) {
        // No log continues behind the last number, and no epoch follows the last one.
        guard next.mark.position.sequence < .max,
            next.mark.position.epoch <= InvalidationLimits.epochKeptMax
        else { throw .key(key) }
        guard let head, window.hasHistory else { return }
        guard next.log == head.log, next.epoch == head.epoch else {
            isContradicted = isContradicted && next.epoch <= head.epoch || next.epoch < head.epoch
            return forget()
        }
        let known = window.digest(at: next.mark.position.sequence)
        let isBehind = next.mark.position < window.head.position
        guard isBehind || known.map({ $0 != next.mark.digest }) ?? false else { return }
        isContradicted = true
        forget()
    }

    private func isAtHead(_ head: HeadValue) -> Bool {
        window.hasHistory && window.id == head.log && window.head == head.mark
    }

    /// The next read. It is linearizable.
    ///
    /// - Parameter isCautious: whether the last one failed: less is read then.
    package func read(isCautious: Bool = false) -> StoreTransaction {
        let countMax = isCautious ? 1 : batchesPerRead
        var reads: [StoreTransaction.Read] = [.init(.key(keys.leader)), .init(.key(keys.head))]
        if window.hasHistory {
            reads.append(
                .init(
                    keys.records(after: window.head.position),
                    countMax: countMax))
        } else if let head {
            let start = LogPosition(epoch: head.mark.position.epoch, sequence: .none)
            reads.append(
                .init(keys.records(after: start), countMax: countMax))
        }
        return StoreTransaction(reads: reads)
    }

    /// The read has been answered.
    ///
    /// - Parameter askedAt: when it was sent.
    /// - Throws: ``Damage`` if the store has something that no publisher of this release wrote.
    package mutating func received(
        _ pairs: [[StorePair]], askedAt: Instant
    ) throws(Damage) -> Progress {
        let leader = pairs.first?.first
        let progress = Progress(
            leader: leader.flatMap { LeaderValue($0.value) }, isLed: leader != nil)
        guard pairs.count > 1, let stored = pairs[1].first else {
            if head != nil { forget() }
            readAt = askedAt
            return progress
        }
        guard let head = HeadValue(stored.value) else { throw .key(stored.key) }
        try check(head, stored.key)
        self.head = head
        if pairs.count > 2 { try append(pairs[2], at: askedAt) }
        if head.tail > head.mark.position.sequence, !isAtHead(head) { stand(at: head.mark) }
        readAt = askedAt
        return progress
    }

    /// What cannot be read.
    package enum Damage: Error, Hashable, CustomStringConvertible {
        case key(String)

        package var description: String {
            switch self {
            case .key(let key): "\(key) has a value that no publisher of this release wrote"
            }
        }
    }

    private mutating func append(
        _ pairs: [StorePair], at time: Instant
    ) throws(Damage) {
        for pair in pairs {
            guard let records = RecordBatch.records(in: pair.value), let last = records.last,
                pair.key == keys.records(through: last.position)
            else { throw .key(pair.key) }
            try append(records, of: pair)
            batches.append(
                StoredBatch(
                    last: last.position, bytes: pair.value.count, knownAt: time))
        }
        if let tail = self.head?.tail {
            batches.removeFirst(batches.prefix { $0.last.sequence < tail }.count)
        }
        adaptReads(to: pairs)
    }

    private mutating func adaptReads(to pairs: [StorePair]) {
        let bytes = pairs.reduce(0) { $0 + $1.value.count }
        let isFull = pairs.count >= batchesPerRead && bytes < SharedLogLimits.readBytesMax
        batchesPerRead =
            isFull
            ? min(batchesPerRead * 2, SharedLogLimits.batchesPerReadMax)
            : SharedLogLimits.batchesPerRead
    }

    private mutating func append(
        _ records: [SealedRecord], of pair: StorePair
    ) throws(Damage) {
        guard let head else { return }
        let new = records.drop {
            window.hasHistory && $0.position.sequence <= window.head.position.sequence
        }
        guard let first = new.first else { return }
        let follows =
            window.hasHistory && first.position.directlyFollows(window.head.position)
            && first.record.previousDigest == window.head.digest
        if !follows {
            // Removed records leave a gap; another digest is another history.
            let isAdjacent =
                window.hasHistory && first.position.directlyFollows(window.head.position)
            isContradicted = isContradicted || isAdjacent
            forget()
            self.head = head
            guard first.position.sequence > .none, first.position.epoch == head.epoch else {
                throw .key(pair.key)
            }
            stand(
                at: LogMark(
                    position: LogPosition(
                        epoch: first.position.epoch,
                        sequence: SequenceNumber(first.position.sequence.rawValue - 1)),
                    digest: first.record.previousDigest))
        }
        do throws(LogRefusal) {
            try window.append(Array(new), expecting: window.head)
        } catch {
            throw .key(pair.key)
        }
        for sealed in new {
            floors?.note(sealed)
            operations.remember(OperationImprint(sealed.record), at: sealed.position)
        }
    }

    private mutating func stand(at mark: LogMark) {
        guard let head else { return }
        window.continueHistory(of: head.log, from: mark)
        floors = FloorSnapshot(
            of: head.log, at: mark, isCertain: mark.position.sequence == .none)
    }

    private mutating func forget() {
        window = Self.emptyWindow(bounds)
        (floors, operations, batches, head) = (nil, Self.noOperations, [], nil)
    }
}

extension HeadValue {
    fileprivate var epoch: Epoch { mark.position.epoch }
}
