import CacheDisk
import Storage
import CacheModel
import TestSupport
import Threading
import ZeroMQ

/// A disk tier on a real file, driven as a shard drives it: what is commanded is handed over at
/// the end of a turn, and the thread sleeps only while there is nothing that it could do.
///
/// Entries are numbered. Their keys have 24 bytes, and each value begins with its number.
final class DrivenTier {
    /// Operations between two turns: about as many as a shard takes together.
    static let operationsPerTurn = 64

    let storage: FileStorage
    private(set) var tier: DiskTier
    /// Commands that have not come back.
    private var underWay = 0
    private var poller = Poller()
    private let keys = Keys()

    /// Without an order: a benchmark has no publisher.
    private static let checkpoint = Checkpoint(
        log: LogID(1),
        mark: LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)),
            digest: LogDigest(1)), floors: [])

    /// Goes on with what lies at `path`, or begins anew, and is open then.
    init(_ path: String, _ geometry: DiskGeometry, _ engine: FileStorageOptions.Engine) throws {
        var options = FileStorageOptions()
        options.engine = engine
        storage = try FileStorage(path, options: options)
        let facts = BootFacts.current
        guard let machine = TierMachineFacts(facts, storage.imprint), let node = NodeID("bench")
        else {
            throw GaveUp("the system does not name its boots")
        }
        let owner = TierOwner(
            node: node, shard: 0, of: 1, machine: machine, geometry: geometry)
        _ = poller.add(storage.bell)
        switch DiskOpening.judge(storage.head, for: owner) {
        case .anew:
            try storage.prepare(geometry, anew: true)
            let superblock = Superblock(for: owner, tier: facts.now.nanoseconds, incarnation: 1)
            let clock = TierClock(startingAt: facts.now)
            tier = DiskTier(superblock.opened(by: 1, on: machine, clock), tail: storage.tail)
            tier.beginAnew(Self.checkpoint)
        case .resume(let superblock):
            try storage.prepare(geometry, anew: false)
            let clock = TierClock(
                continuing: superblock, boot: machine.boot, now: facts.now,
                calendar: machine.calendar)
            tier = DiskTier(
                superblock.opened(by: superblock.incarnation + 1, on: machine, clock),
                tail: storage.tail)
            tier.beginRecovery()
        }
        try run { $0.tier.state == .open }
        tier.news.removeAll()
    }

    // MARK: Turns

    /// What has come back is told, a slice is done, and what is commanded is begun.
    private func turn(isHeard: Bool) {
        for completion in storage.takeCompletions(isHeard: isHeard) {
            underWay -= 1
            tier.completed(completion)
        }
        tier.tick()
        guard !tier.commands.isEmpty else { return }
        underWay += tier.commands.count
        storage.submit(tier.commands)
        tier.commands.removeAll(keepingCapacity: true)
    }

    /// A turn, before which it is waited for the file if there is nothing else to do.
    func turnOrWait() throws {
        let isIdle = tier.commands.isEmpty && !tier.hasDueWork
        if isIdle { _ = try poller.wait(timeout: .seconds(1)) }
        turn(isHeard: isIdle)
        switch tier.state {
        case .failed(let failure): throw GaveUp("the tier has given up: \(failure)")
        case .unusable(let cause): throw GaveUp("what lies there is of no use: \(cause)")
        case .recovering, .beginning, .open, .closing, .closed: return
        }
    }

    private func run(until isDone: (DrivenTier) -> Bool) throws {
        while !isDone(self) { try turnOrWait() }
    }

    /// Everything that was commanded is done: written, and synchronized where that was asked for.
    func drain() throws { try run { $0.underWay == 0 && $0.tier.commands.isEmpty } }

    /// Hands over the news that there are.
    func takeNews() -> [DiskNews] {
        defer { tier.news.removeAll(keepingCapacity: true) }
        return tier.news
    }

    // MARK: Entries

    private func fingerprint(_ key: UnsafeRawBufferPointer) -> Fingerprint {
        tier.hasher.fingerprint(of: key, in: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Appends entry `number`, and waits while the tier has no room for it.
    func store(_ number: Int, _ value: UnsafeMutableRawBufferPointer) throws {
        value.storeBytes(of: UInt64(number), as: UInt64.self)
        let entry = DiskEntry(key: keys.make(number), value: UnsafeRawBufferPointer(value))
        let fingerprint = fingerprint(entry.key)
        while let cause = tier.append(entry, fingerprint) {
            guard cause == .tailFull || cause == .noSegment else {
                throw GaveUp("an entry was not appended: \(cause)")
            }
            try turnOrWait()
        }
        if number % Self.operationsPerTurn == 0 { turn(isHeard: false) }
    }

    func find(_ number: Int) -> FindAnswer {
        tier.find(fingerprint(keys.make(number)))
    }

    /// The number that a value begins with.
    static func number(_ record: FoundRecord) -> Int? {
        record.withEntry { Int($0.value.loadUnaligned(as: UInt64.self)) }
    }

    /// Reads entry `number`, with nothing else under way.
    ///
    /// - Returns: the number of the entry that was found: another one if their keys have the same
    ///   fingerprint. `nil` if there was none.
    func read(_ number: Int) throws -> Int? {
        switch find(number) {
        case .absent, .shed: return nil
        case .resident(let record): return Self.number(record)
        case .reading(let ticket):
            while true {
                try turnOrWait()
                for one in takeNews() {
                    switch one {
                    case .found(ticket, let record): return Self.number(record)
                    case .notFound(ticket, _): return nil
                    default: continue
                    }
                }
            }
        }
    }

    // MARK: The end

    /// Ends in order.
    func close() throws {
        tier.close(Self.checkpoint, calendar: BootFacts.current.calendarMilliseconds)
        try run { $0.tier.state == .closed }
        storage.close()
    }
}
