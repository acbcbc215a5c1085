import CacheDisk
import Storage
import CacheModel
import Testing
import ZeroMQ

/// A whole tier on a real file, driven as a shard drives it.
final class TierOnFile {
    let storage: FileStorage
    let cause: AnewCause?
    var tier: DiskTier
    /// Commands that have not been carried out.
    private var outstandingCount = 0
    private var poller = Poller()

    static let checkpoint = Checkpoint(
        log: LogID(1),
        mark: LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(1)),
            digest: LogDigest(1)), floors: [7])

    /// Goes on with what lies there, or begins anew, and is open then.
    ///
    /// - Parameter rule: the space that it leaves free.
    init(_ path: String, _ geometry: DiskGeometry, rule: DiskSpaceRule? = nil) throws {
        let storage = try FileStorage(path)
        let facts = BootFacts.current
        let machine = try #require(TierMachineFacts(facts, storage.imprint))
        let owner = TierOwner(
            node: try #require(NodeID("n1")), shard: 0, of: 1, machine: machine,
            geometry: geometry)
        self.storage = storage
        _ = poller.add(storage.bell)
        switch DiskOpening.judge(storage.head, for: owner) {
        case .anew(let cause):
            self.cause = cause
            let segments = rule?.segmentCount(
                freeBytes: storage.freeBytes ?? .max, nodeBytes: 0, fileBytes: 0, geometry)
            try storage.prepare(geometry, anew: true, segments: segments)
            let superblock = Superblock(for: owner, tier: facts.now.nanoseconds, incarnation: 1)
            let clock = TierClock(startingAt: facts.now)
            tier = DiskTier(superblock.opened(by: 1, on: machine, clock), tail: storage.tail)
            tier.spaceRule = rule
            tier.beginAnew(Self.checkpoint, withRoomFor: segments)
        case .resume(let superblock):
            cause = nil
            try storage.prepare(
                geometry, anew: false, segments: rule == nil ? nil : geometry.segmentCount)
            let clock = TierClock(
                continuing: superblock, boot: machine.boot, now: facts.now,
                calendar: machine.calendar)
            tier = DiskTier(
                superblock.opened(by: superblock.incarnation + 1, on: machine, clock),
                tail: storage.tail)
            tier.spaceRule = rule
            tier.beginRecovery()
        }
        try run { $0.tier.state == .open }
    }

    /// One turn: what is commanded is begun, what has come back is told.
    func turn() {
        if !tier.commands.isEmpty { storage.submit(tier.commands) }
        outstandingCount += tier.commands.count
        tier.commands.removeAll()
        for completion in storage.takeCompletions() {
            outstandingCount -= 1
            tier.completed(completion)
        }
        tier.tick()
    }

    /// Turns until something is so.
    func run(until isDone: (TierOnFile) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !isDone(self) {
            try #require(ContinuousClock.now < deadline, "it is \(tier.state) after a minute")
            turn()
            if tier.commands.isEmpty, !tier.hasDueWork, !isDone(self) {
                _ = try poller.wait(timeout: .milliseconds(100))
            }
        }
    }

    /// Until everything that was commanded has been done.
    func settle() throws {
        turn()
        try run { $0.outstandingCount == 0 && $0.tier.commands.isEmpty && !$0.tier.hasDueWork }
    }

    func fingerprint(_ key: String) -> Fingerprint {
        Array(key.utf8).withUnsafeBytes {
            tier.hasher.fingerprint(of: $0, in: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    func set(_ key: String, _ value: String) -> ShedCause? {
        let fingerprint = fingerprint(key)
        return Array(key.utf8).withUnsafeBytes { keyBytes in
            Array(value.utf8).withUnsafeBytes { valueBytes in
                tier.append(DiskEntry(key: keyBytes, value: valueBytes), fingerprint)
            }
        }
    }

    func remove(_ key: String) { tier.remove(fingerprint(key)) }

    func get(_ key: String) throws -> String? {
        switch tier.find(fingerprint(key)) {
        case .absent, .shed: return nil
        case .resident(let record): return Self.value(record)
        case .reading(let ticket):
            var found: FoundRecord??
            try run {
                for one in $0.tier.news {
                    switch one {
                    case .found(ticket, let record): found = .some(record)
                    case .notFound(ticket, _): found = .some(nil)
                    default: continue
                    }
                }
                return found != nil
            }
            tier.news.removeAll()
            return found.flatMap { $0 }.flatMap(Self.value)
        }
    }

    private static func value(_ record: FoundRecord) -> String? {
        record.withEntry { String(decoding: $0.value, as: UTF8.self) }
    }

    /// Ends in order.
    func close() throws {
        tier.close(Self.checkpoint, calendar: BootFacts.current.calendarMilliseconds)
        try run { $0.tier.state == .closed }
        storage.close()
    }
}

/// A load that everybody can tell who knows its seed: what is true after so many operations.
struct ToldLoad {
    enum Operation: Equatable {
        case set(String, String)
        case remove(String)
    }

    let seed: UInt64

    func operation(_ number: Int) -> Operation {
        let draw = (UInt64(number) &+ seed &* 1_000_003) &* 0x9E37_79B9_7F4A_7C15
        let key = "key \((draw >> 20) % 300)"
        guard (draw >> 50) % 5 > 0 else { return .remove(key) }
        return .set(key, "\(number) " + String(repeating: ".", count: Int((draw >> 40) % 200)))
    }

    /// Turns the values after the operations below one number into those below another.
    func advance(_ truth: inout [String: String], over numbers: Range<Int>) {
        for number in numbers {
            switch operation(number) {
            case .set(let key, let value): truth[key] = value
            case .remove(let key): truth[key] = nil
            }
        }
    }
}
