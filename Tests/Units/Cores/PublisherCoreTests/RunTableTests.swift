import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Whose life of a node was the last: docs/decisions/0034.
@Suite struct RunTableTests {
    private let one: NodeID
    private let two: NodeID

    init() throws {
        one = try #require(NodeID("n1"))
        two = try #require(NodeID("n2"))
    }

    private func run(_ number: UInt64, of node: NodeID? = nil) -> NodeRun {
        NodeRun(node: node ?? one, incarnation: Incarnation(number))
    }

    private func book(_ runs: UInt64...) -> RunTable {
        var book = RunTable()
        for number in runs { book.note(run(number), isRegistered: { _ in true }) }
        return book
    }

    private func previous(_ number: UInt64, in book: RunTable) -> UInt64 {
        book.previous(of: run(number)).rawValue
    }

    @Test func theFirstRunHasNoneBeforeIt() {
        #expect(previous(1, in: book()) == 0)
        #expect(previous(1, in: book(1)) == 0)
    }

    @Test func eachRunIsToldTheOneBeforeItHoweverOftenItAsks() {
        #expect(previous(2, in: book(1)) == 1)
        #expect(previous(2, in: book(1, 2)) == 1)
        #expect(previous(3, in: book(1, 2)) == 2)
        #expect(previous(3, in: book(1, 2, 3, 3)) == 2)
    }

    @Test func aRunThatWasNotGrantedALeaseIsNobodysPast() {
        #expect(previous(9, in: book(1)) == 1)
        #expect(previous(2, in: book(1)) == 1)
    }

    @Test func anEarlierRunGetsTheLaterRunAsPredecessor() {
        #expect(previous(1, in: book(1, 2)) == 2)
    }

    /// Neither knows what the other has stored: what they leave on their disks is nobody's.
    @Test func runsThatTakeTurnsLeaveNothingToGoOnFrom() {
        for runs in [book(1, 2, 1), book(1, 2, 1, 2), book(1, 2, 3, 1)] {
            for number in 1...9 as ClosedRange<UInt64> { #expect(previous(number, in: runs) == 0) }
        }
    }

    @Test func aNewRunAfterThoseIsALifeOfItsOwnAgain() {
        let runs = book(1, 2, 1, 3)
        #expect(previous(3, in: runs) == 0 && previous(4, in: runs) == 3)
        #expect(previous(4, in: book(1, 2, 1, 3, 2)) == 0, "until one of them comes back")
    }

    @Test func twoThatRunAtOneTimeAreNotNotedAtEachGrant() {
        let runs = book(1, 2, 1)
        #expect(runs.changes == 3)
        #expect(book(1, 2, 1, 2, 1, 2).changes == 3)
        #expect(runs.change(noting: run(2)) == 3 && runs.change(noting: run(3)) == nil)
    }

    @Test func nodesHaveNothingToDoWithEachOther() {
        var book = book(1)
        book.note(run(2, of: two), isRegistered: { _ in true })
        #expect(previous(3, in: book) == 1)
        #expect(book.previous(of: run(3, of: two)).rawValue == 2)
        book.forget(one)
        #expect(previous(3, in: book) == 0)
        #expect(book.previous(of: run(3, of: two)).rawValue == 2)
    }

    @Test func forgettingANodeTwiceChangesTheTableOnce() {
        var book = book(1)
        book.forget(one)
        book.forget(one)
        #expect(book.changes == 2)
    }

    @Test func runsAreKnownAgainUpToABound() {
        var book = RunTable()
        for number in 1...17 as ClosedRange<UInt64> {
            book.note(run(number), isRegistered: { _ in true })
        }
        #expect(book.nodes[one]?.runs.count == PublisherLimits.livesPerNodeMax)
        book.note(run(2), isRegistered: { _ in true })
        #expect(previous(18, in: book) == 0)
    }

    @Test func aFullBookLosesNodesThatAreNotRegisteredFirst() throws {
        var book = RunTable()
        for number in 0..<PublisherLimits.livesNodesMax {
            let node = try #require(NodeID("n\(1_000 + number)"))
            book.note(run(1, of: node), isRegistered: { _ in true })
        }
        let gone = try #require(NodeID("n1500"))
        book.note(run(1), isRegistered: { $0 != gone })
        #expect(book.nodes.count == PublisherLimits.livesNodesMax)
        #expect(book.nodes[gone] == nil && book.nodes[one] != nil)
    }

    /// The next publisher waits for them.
    @Test func aFullBookKeepsNodesThatMayHoldALease() throws {
        var book = RunTable()
        let idle = try #require(NodeID("n1500"))
        for number in 0..<PublisherLimits.livesNodesMax {
            let node = try #require(NodeID("n\(1_000 + number)"))
            book.note(run(1, of: node), isRegistered: { _ in true })
        }
        book.settle([:]) { $0 == idle }
        book.note(run(1), isRegistered: { $0 == idle })
        #expect(book.nodes.count == PublisherLimits.livesNodesMax)
        #expect(book.nodes[idle] == nil && book.nodes[one] != nil)
    }

    // MARK: Stored

    @Test func whatIsStoredIsReadAgain() throws {
        var book = book(1, 2, 3, 1)
        book.note(run(7, of: two), isRegistered: { _ in true })
        let bytes = book.stored(for: LogID(5), in: Epoch(3))
        let (read, log, epoch) = try #require(bytes.withUnsafeBytes { RunTable.read($0) })
        #expect(log == LogID(5) && epoch == Epoch(3))
        for number in 0...9 as ClosedRange<UInt64> {
            for node in [one, two] {
                let run = run(number, of: node)
                #expect(read.previous(of: run) == book.previous(of: run))
            }
        }
        #expect(read.stored(for: LogID(5), in: Epoch(3)) == bytes)
    }

    @Test func theBytesAreThoseOfThePage() throws {
        var book = book(1, 2)
        book.note(RunTable.Members(digest: 0x1817_1615_1413_1211, areSettled: true))
        let bytes = book.stored(for: LogID(0x0807_0605_0403_0201), in: Epoch(3))
        #expect(bytes.prefix(8) == [0x4D, 0x41, 0x52, 0x54, 0x4E, 0x4F, 0x44, 0x33])
        let rest: [UInt8] = [
            1, 0, 0, 0,  // one node
            1, 2, 3, 4, 5, 6, 7, 8,  // the log
            3, 0, 0, 0,  // its epoch
            2, 0, 0, 0,  // the members are settled
            0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,  // and these
            2, 2, 1, 0,  // two bytes of id, two runs, alone
            1, 0, 0, 0, 0, 0, 0, 0,  // the one before
            0x6E, 0x31,  // n1
            2, 0, 0, 0, 0, 0, 0, 0,
            1, 0, 0, 0, 0, 0, 0, 0,
        ]
        #expect(Array(bytes.dropFirst(12)) == rest)
    }

    /// As a release wrote it that did not check who owns what.
    @Test func aBookWithoutMembersIsReadAsWell() throws {
        var bytes = book(1, 2).stored(for: LogID(5), in: Epoch(3))
        bytes.removeSubrange(28..<40)
        bytes[7] = 0x32
        let checksum = bytes.withUnsafeBytes { StoredChecksum.of($0, from: 12) }
        for (index, byte) in withUnsafeBytes(of: checksum.littleEndian, Array.init).enumerated() {
            bytes[8 + index] = byte
        }
        let read = try #require(bytes.withUnsafeBytes { RunTable.read($0) })
        #expect(
            read.table.members == nil
                && read.table.nodes
                    == book(1, 2).nodes.mapValues {
                        var lives = $0
                        lives.change = 0
                        return lives
                    }
        )
    }

    @Test func nothingIsReadOfWhatIsDamagedOrCut() {
        let bytes = book(1, 2, 3).stored(for: LogID(5), in: Epoch(3))
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] ^= 0x10
            let read = damaged.withUnsafeBytes { RunTable.read($0) != nil }
            let cut = bytes.prefix(offset).withUnsafeBytes { RunTable.read($0) != nil }
            #expect(!read && !cut, "offset \(offset)")
        }
    }
}
