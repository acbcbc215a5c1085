import CacheInvalidation
import CacheModel
import CacheWire
import SharedLogCore
import Testing

/// The lease that the store has for the next leader: never shorter than one that a node may hold.
@Suite struct StoredLeaseTests {
    /// A leader's log, and what its store has.
    private struct Bench {
        var log: SharedLog
        var stored: Duration?
        var now = Instant.milliseconds(0)
        private(set) var writeCount = 0

        init(inherited: Duration?, isBegun: Bool = true) {
            log = SharedLog(
                MemoryLog(id: logID, decode: SealedRecord.kept), inheritedLease: inherited,
                areFloorsComing: false)
            stored = inherited
            if isBegun { beginLog() }
        }

        mutating func beginLog() {
            let position = LogPosition(epoch: Epoch(1), sequence: .none)
            let start = LogMark(position: position, digest: LogDigest(startOf: logID))
            log.continueHistory(of: logID, from: start)
            _ = log.takeOrders()
        }

        /// What is ordered now; `nil`: nothing.
        mutating func ordered(_ wanted: Duration) throws -> Duration? {
            log.want(lease: wanted, now: now)
            guard case .store(.lease, let bytes)? = log.takeOrders().last else { return nil }
            writeCount += 1
            return try #require(GrantedLease(bytes)).longest
        }

        mutating func end(_ value: Duration?) {
            if let value { stored = value }
            log.leaseEnded(isStored: value != nil, now: now)
        }

        /// Lets the lease be wanted for a while, every write being stored at once.
        mutating func pass(_ seconds: Int, wanting wanted: Duration) throws {
            for _ in 0..<seconds * 10 {
                now = now.advanced(by: .milliseconds(100))
                if let value = try ordered(wanted) { end(value) }
            }
        }

        /// The longest lease that a leader which wants this one grants.
        func granted(_ wanted: Duration) -> Duration { min(wanted, log.leaseKept ?? .zero) }
    }

    private let short = Duration.seconds(3)
    private let long = Duration.seconds(60)

    /// The store was emptied. How long the leases were is unknown, and stays so for a later leader
    /// until this one has begun a log.
    @Test func aLogWithoutAHistoryStoresNoLease() throws {
        var bench = Bench(inherited: nil, isBegun: false)
        #expect(try bench.ordered(short) == nil)
        bench.beginLog()
        #expect(try bench.ordered(short) == short)
    }

    @Test func aLongerLeaseIsGrantedOnceItIsStored() throws {
        var bench = Bench(inherited: short)
        #expect(try bench.ordered(long) == long)
        #expect(bench.granted(long) == short)
        #expect(try bench.ordered(long) == nil, "it is under way")
        bench.end(long)
        #expect(bench.granted(long) == long)
        #expect(try bench.ordered(long) == nil)
    }

    @Test func aShorterLeaseIsStoredOnceTheLongerOneHasEndedEverywhere() throws {
        var bench = Bench(inherited: nil)
        try bench.pass(1, wanting: long)
        #expect(bench.stored == long)
        try bench.pass(60, wanting: short)
        #expect(bench.stored == long, "a node may still hold the longer one")
        try bench.pass(2, wanting: short)
        #expect(bench.stored == short)
        #expect(bench.writeCount == 2)
    }

    @Test func anInheritedLeaseIsKeptUntilItHasEnded() throws {
        var bench = Bench(inherited: long)
        try bench.pass(60, wanting: short)
        #expect(bench.stored == long)
        try bench.pass(2, wanting: short)
        #expect(bench.stored == short)
    }

    /// The lease was changed while the write of an earlier one had no answer.
    @Test func anEarlierWriteDoesNotPermitALongerLease() throws {
        var bench = Bench(inherited: nil)
        #expect(try bench.ordered(short) == short)
        #expect(try bench.ordered(long) == nil)
        bench.end(short)
        #expect(bench.granted(long) == short)
        #expect(try bench.ordered(long) == long)
        bench.end(long)
        #expect(bench.granted(long) == long)
    }

    @Test func noLeaseIsLongerThanTheStoresWhateverBecomesOfAWrite() throws {
        for isStored in [true, false] {
            var bench = Bench(inherited: nil)
            try bench.pass(1, wanting: long)
            try bench.pass(60, wanting: short)
            bench.now = bench.now.advanced(by: .seconds(2))
            #expect(try bench.ordered(short) == short)
            #expect(bench.granted(long) == short, "the shorter one may be in the store")
            bench.end(isStored ? short : nil)
            #expect(bench.granted(long) == short)
            try bench.pass(2, wanting: long)
            #expect(bench.stored == long && bench.granted(long) == long)
        }
    }

    @Test func aRefusedWriteIsRepeatedAfterAPause() throws {
        var bench = Bench(inherited: nil)
        #expect(try bench.ordered(short) == short)
        bench.end(nil)
        #expect(try bench.ordered(short) == nil)
        bench.now = bench.now.advanced(by: .seconds(1))
        #expect(try bench.ordered(short) == short)
    }
}
