import CacheInvalidation
import CacheModel
import CacheWire

/// The publisher's log: in memory, or on a simulated disk.
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

    var id: LogID { window.id }
    var head: LogMark { window.head }
    var hasHistory: Bool { window.hasHistory }
    var outlivesItsProcess: Bool { disk != nil }
    var tail: SequenceNumber { disk?.tail(of: id, head.position.epoch) ?? window.tail }

    mutating func continueHistory(of id: LogID, from head: LogMark) {
        window.continueHistory(of: id, from: head)
        underWay = nil
        disk?.begin(id, at: head)
    }

    mutating func open(_ epoch: Epoch) {
        window.open(epoch)
        underWay = nil
        disk?.begin(id, at: head)
    }

    mutating func append(
        _ batch: [SealedRecord], expecting expected: LogMark
    ) throws(LogRefusal) -> LogProgress {
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
        if let records = window.read(after: sequence, limit: limit) { return records }
        guard let disk, sequence < head.position.sequence else { return nil }
        let records = disk.records(of: id, head.position.epoch, after: sequence)
            .prefix { $0.position <= head.position }.prefix(limit)
        return records.isEmpty ? nil : Array(records)
    }

    func digest(at sequence: SequenceNumber) -> LogDigest? {
        if let digest = window.digest(at: sequence) { return digest }
        return read(after: sequence, limit: 1)?.first?.record.previousDigest
    }
}
