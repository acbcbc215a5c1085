import CacheInvalidation
import CacheModel
import SharedLogCore

/// Every change that the store of a shared log has made: the one history that all publishers of a
/// world share.
///
/// It judges each change when the store makes it, whatever its publisher believes; and each term
/// when it begins.
final class StoreLedger: WorldPart {
    private struct Place: Hashable {
        let log: LogID
        let position: LogPosition
    }

    private struct Deed: Hashable {
        let log: LogID
        let epoch: Epoch
        let operation: OperationImprint
    }

    private struct Asked: Hashable {
        let generation: Int
        let operation: OperationID
    }

    static let keys = SharedKeys(prefix: "/martlet")
    /// For so long an operation is done once, by clocks that differ by one percent. A message may
    /// lie longer before a publisher that hangs.
    private static let recalledSpan = Span(
        nanoseconds: InvalidationLimits.operationWindow.wholeNanoseconds / 100 * 98)

    let timeline: Timeline
    private let chronicle: Chronicle
    /// Each record that the store has had, without those that a restore removed.
    private var records: [Place: SealedRecord] = [:]
    private var everHad: Set<LogDigest> = []
    private var deeds: [Deed: (position: LogPosition, generation: Int, time: WorldTime)] = [:]
    /// How often each core was asked for an operation and has not said yet that nothing was
    /// invalidated.
    private var open: [Asked: Int] = [:]
    private(set) var restoreCount = 0
    /// Whether a term has begun without the owners of slots, which were stored before a small
    /// retention, or before an epoch: it begins another epoch, the next one.
    private var hasLostSlots = false
    /// The term that leads now.
    var leading: LeaderValue?
    /// The positions of records that a restore removed.
    private(set) var lostPositions: Set<LogPosition> = []

    init(_ timeline: Timeline, _ chronicle: Chronicle) {
        (self.timeline, self.chronicle) = (timeline, chronicle)
    }

    // MARK: Reading

    func leader(in store: SimulatedStore) -> LeaderValue? {
        store.pairs[Self.keys.leader].flatMap { LeaderValue($0.bytes) }
    }

    func leaderLease(in store: SimulatedStore) -> StoreLease? {
        store.pairs[Self.keys.leader]?.lease
    }

    func head(in store: SimulatedStore) -> HeadValue? {
        store.pairs[Self.keys.head].flatMap { HeadValue($0.bytes) }
    }

    /// Whether the store has ever had this record.
    func hasHad(_ digest: LogDigest) -> Bool { everHad.contains(digest) }

    /// Whether a restore has removed the record of this mark.
    func hasLost(_ sealed: SealedRecord, of log: LogID) -> Bool {
        records[Place(log: log, position: sealed.position)]?.digest != sealed.digest
    }

    /// The records of a log and epoch up to its head, oldest first.
    func records(of log: LogID, upTo head: LogPosition) -> [SealedRecord] {
        records.filter { place, _ in
            place.log == log && place.position.epoch == head.epoch && place.position <= head
        }.map(\.value).sorted { $0.position < $1.position }
    }

    // MARK: Changes

    /// - Parameter store: as it was before the change.
    func judge(
        _ transaction: StoreTransaction, of flight: StoreService.Flight, on store: SimulatedStore
    ) throws(Violation) {
        let leader = leader(in: store)
        switch flight.purpose {
        case .leadership(.campaign):
            try Violation.unless(
                leader == nil, "publisher \(flight.publisher) begins a term while another lasts")
            return count(.terms)
        case .write: break
        default: return
        }
        try Violation.unless(
            leader != nil && leader == flight.term,
            "publisher \(flight.publisher) changes the log or its state, and does not lead")
        for case .put(let key, let bytes, _) in transaction.changes {
            if key == Self.keys.head {
                try judgeHead(HeadValue(bytes), after: head(in: store))
            } else if let batch = RecordBatch.records(in: bytes), key.contains("/records/") {
                try judge(batch, of: flight, after: head(in: store))
            }
        }
    }

    func noteSlotsLoss() { hasLostSlots = true }

    /// A failover alone opens no epoch, and hides nothing.
    private func judgeHead(_ next: HeadValue?, after head: HeadValue?) throws(Violation) {
        guard let next else { throw Violation("a publisher writes a head that is none") }
        guard let head else { return }
        let (old, new) = (head.mark.position, next.mark.position)
        guard new.epoch != old.epoch || next.log != head.log else {
            return try Violation.unless(old < new, "the head goes from \(old) to \(new)")
        }
        try Violation.unless(
            restoreCount > 0 || hasLostSlots,
            "an epoch is opened at \(new), though the store lost nothing")
        hasLostSlots = false
        try Violation.unless(
            old.epoch < new.epoch, "the epoch \(new.epoch) is opened after \(old.epoch)")
        note(.world, "store has a new epoch", at: new)
    }

    private func judge(
        _ batch: [SealedRecord], of flight: StoreService.Flight, after head: HeadValue?
    ) throws(Violation) {
        guard let head else { throw Violation("records are written before the log has begun") }
        var mark = head.mark
        for sealed in batch {
            try Violation.unless(
                sealed.position.directlyFollows(mark.position)
                    && sealed.record.previousDigest == mark.digest,
                "the store is at \(mark.position) and gets \(sealed.position), which does not "
                    + "follow it by number and digest")
            mark = sealed.mark
            try enter(sealed, in: head.log, of: flight)
        }
    }

    private func enter(
        _ sealed: SealedRecord, in log: LogID, of flight: StoreService.Flight
    ) throws(Violation) {
        let place = Place(log: log, position: sealed.position)
        try Violation.unless(
            records[place] == nil, "the log gets a second record at \(sealed.position)")
        records[place] = sealed
        everHad.insert(sealed.digest)
        let operation = sealed.record.operation
        guard operation != .none else { return }
        let deed = Deed(
            log: log, epoch: sealed.position.epoch, operation: OperationImprint(sealed.record))
        if let earlier = deeds[deed], now < earlier.time + Self.recalledSpan {
            throw Violation(
                "the operation at \(sealed.position) was done before, at \(earlier.position)")
        }
        deeds[deed] = (sealed.position, flight.generation, now)
        try Violation.unless(
            open[Asked(generation: flight.generation, operation: operation)] != 0,
            "a client was told that nothing was invalidated, and \(sealed.position) is appended")
    }

    // MARK: Answers

    /// A client asks a core for an invalidation.
    func noteAsked(for operation: OperationID, of generation: Int) {
        open[Asked(generation: generation, operation: operation), default: 0] += 1
    }

    /// A core says that nothing was invalidated.
    func judgeDenial(
        of operation: OperationID, by generation: Int, _ sentence: String
    ) throws(Violation) {
        open[Asked(generation: generation, operation: operation), default: 1] -= 1
        let isDone = deeds.contains {
            $0.key.operation.name == operation && $0.value.generation == generation
        }
        try Violation.unless(
            !isDone,
            "a client is told what its record in the log contradicts: \(sentence)")
    }

    /// A term begins: what its publisher has seen of the log must be in it, or hidden by an epoch.
    func judgeTerm(
        _ log: SharedLog, _ lost: Epoch?, seen: FurthestMark
    ) throws(Violation) {
        guard seen.mark != .none, lost == nil else { return }
        let head = log.head.position
        guard head.epoch <= seen.mark.position.epoch else { return }
        let known = log.digest(at: seen.mark.position.sequence)
        let isKept =
            log.hasHistory && log.id == seen.log && seen.mark.position <= head
            && (known.map { $0 == seen.mark.digest } ?? true)
        try Violation.unless(
            isKept,
            "a term begins at \(head), though its publisher has seen \(seen.mark.position), and "
                + "opens no epoch")
    }

    // MARK: Restoring

    /// The store will be as it was in `copy`.
    func restore(_ copy: SimulatedStore, in store: SimulatedStore) {
        restoreCount += 1
        let head = head(in: copy)
        for (place, _) in records {
            let isKept =
                head.map { place.log == $0.log && place.position <= $0.mark.position } ?? false
            guard !isKept || isForgotten(place, head) else { continue }
            lostPositions.insert(place.position)
            records[place] = nil
        }
        let kept = records
        deeds = deeds.filter { deed, done in
            kept[Place(log: deed.log, position: done.position)] != nil
        }
        let lost = chronicle.keepOnly(
            before: head?.mark ?? .none, of: head?.log ?? .none, step: step)
        count(.lostRecords, lost.count)
        note(.world, "store loses records", lost.count, at: head?.mark.position ?? .none)
    }

    /// Whether a record is of an epoch that the restored log has not begun, or has left.
    private func isForgotten(_ place: Place, _ head: HeadValue?) -> Bool {
        place.position.epoch != head?.mark.position.epoch
    }
}
