import CacheInvalidation
import CacheModel
import CacheWire
import SharedLogCore

/// The publisher's log: in memory, on a simulated disk, or the shipped log of a term on a store.
///
/// On a disk it is the counterpart of `FileLog`: appends are asynchronous, the newest records are
/// in memory too, and a start continues where ``CacheInvalidation/LogRecovery`` allows it.
struct SimulatedLog: InvalidationLog {
    private var window: MemoryLog
    let disk: SimulatedDisk?
    private var underWay: (ticket: LogTicket, batch: [SealedRecord])?
    private var lastTicket: UInt64 = 0
    let inheritedLease: Duration?
    let areFloorsComing: Bool
    /// The log of a term; `nil` unless several publishers lead it in turn.
    var shared: SharedLog?

    /// The log of a term.
    init(_ shared: SharedLog) {
        self.shared = shared
        window = MemoryLog(id: LogID(1), recordsMax: 1, decode: SealedRecord.kept)
        disk = nil
        inheritedLease = shared.inheritedLease
        areFloorsComing = shared.areFloorsComing
    }

    /// A log that dies with its process.
    init(inMemoryAs id: LogID, recordsMax: Int) {
        window = MemoryLog(id: id, recordsMax: recordsMax, decode: SealedRecord.kept)
        disk = nil
        inheritedLease = nil
        areFloorsComing = false
    }

    /// Opens the log on a disk.
    ///
    /// - Parameter terms: the lease of this publisher, and the longest one.
    init(
        on disk: SimulatedDisk, freshID: LogID, windowRecords: Int, _ terms: SimulatedDisk.Terms
    ) {
        self.disk = disk
        window = MemoryLog(id: freshID, recordsMax: windowRecords, decode: SealedRecord.kept)
        let verdict = disk.open(terms)
        inheritedLease = disk.inheritedMilliseconds.map { .milliseconds(Int64($0)) }
        areFloorsComing = disk.recall != nil
        if window.stand(on: verdict) { disk.begin(id, at: head) }
    }

    var id: LogID { shared?.id ?? window.id }
    var head: LogMark { shared?.head ?? window.head }
    var hasHistory: Bool { shared?.hasHistory ?? window.hasHistory }
    var outlivesItsProcess: Bool { shared != nil || disk != nil }
    var isShared: Bool { shared != nil }
    var isBegun: Bool { shared?.isBegun ?? true }
    var leaseKept: Duration? { shared?.leaseKept }
    var appendBytesMax: Int { shared?.appendBytesMax ?? .max }
    var tail: SequenceNumber {
        shared?.tail ?? disk?.tail(of: id, head.position.epoch) ?? window.tail
    }

    mutating func continueHistory(of id: LogID, from head: LogMark) {
        guard shared == nil else { return shared?.continueHistory(of: id, from: head) ?? () }
        window.continueHistory(of: id, from: head)
        underWay = nil
        disk?.begin(id, at: head)
    }

    mutating func open(_ epoch: Epoch) {
        guard shared == nil else { return shared?.open(epoch) ?? () }
        window.open(epoch)
        underWay = nil
        disk?.begin(id, at: head)
    }

    // MARK: The log of a term

    mutating func begun(at mark: LogMark) { shared?.begun(at: mark) }

    mutating func want(lease: Duration, now: Instant) { shared?.want(lease: lease, now: now) }

    mutating func leaseEnded(isStored: Bool, now: Instant) {
        shared?.leaseEnded(isStored: isStored, now: now)
    }

    mutating func takeOrders() -> [SharedLogWriter.Order] { shared?.takeOrders() ?? [] }

    // MARK: Records

    mutating func append(
        _ batch: [SealedRecord], expecting expected: LogMark
    ) throws(LogRefusal) -> LogProgress {
        if let progress = try shared?.append(batch, expecting: expected) { return progress }
        guard let disk else { return try window.append(batch, expecting: expected) }
        precondition(underWay == nil, "one append follows the other")
        guard expected == head else { throw .unexpectedHead(head) }
        guard Self.isChain(batch, after: head) else { throw .notContiguous }
        lastTicket += 1
        let ticket = LogTicket(lastTicket)
        underWay = (ticket, batch)
        disk.jobs.append(.init(ticket: ticket, batch: batch))
        return .underWay(ticket)
    }

    mutating func finish(_ outcome: LogOutcome) {
        guard shared == nil else { return shared?.finish(outcome) ?? () }
        guard let (ticket, batch) = underWay, ticket == outcome.ticket else { return }
        underWay = nil
        guard outcome.refusal == nil else { return }
        do throws(LogRefusal) {
            try window.append(batch, expecting: head)
        } catch {
            preconditionFailure("what was a chain on this head is one: \(error)")
        }
    }

    func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        if let shared { return shared.read(after: sequence, limit: limit) }
        if let records = window.read(after: sequence, limit: limit) { return records }
        guard let disk, sequence < head.position.sequence else { return nil }
        let records = disk.records(of: id, head.position.epoch, after: sequence)
            .prefix { $0.position <= head.position }.prefix(limit)
        return records.isEmpty ? nil : Array(records)
    }

    func digest(at sequence: SequenceNumber) -> LogDigest? {
        if let shared { return shared.digest(at: sequence) }
        if let digest = window.digest(at: sequence) { return digest }
        return read(after: sequence, limit: 1)?.first?.record.previousDigest
    }
}
