import CacheConfiguration
import Storage
import CacheModel
import CacheNodeCore
import Foundation
import TestSupport
import Testing
import Threading

@testable import CacheServer

/// What is said of a file that is there and cannot be used.
@Suite struct DiskAttendantTests {
    private let directory: TemporaryDirectory
    private let lines = LinesLogged()
    private let setup: DiskSetup

    init() throws {
        directory = try TemporaryDirectory("disk")
        setup = DiskSetup(
            node: try #require(NodeID("n1")), shard: 0, shardCount: 1,
            incarnation: Incarnation(7),
            settings: DiskSettings(
                directory: directory.url.path, bytes: 16 << 20, reads: .threads))
    }

    /// Opens the file that is there.
    ///
    /// - Returns: whether the tier replaces another.
    private func open() throws -> Bool? {
        let mailbox = try Mailbox<ShardLetter>()
        var attendant = DiskAttendant(setup, mailbox: mailbox, logger: lines.logger)
        attendant.begin(now: MonotonicClock.now)
        var outcome: DiskOpener.Outcome?
        try waitUntil("the file is opened") {
            for case .disk(let found) in mailbox.takeAll() { outcome = found }
            return outcome != nil
        }
        let opened = attendant.opened(try #require(outcome), now: MonotonicClock.now)
        attendant.storage?.close()
        return opened?.replacesOther
    }

    @Test func damagedSegmentsAreLoggedAsAWarning() throws {
        defer { directory.remove() }
        var attendant = DiskAttendant(
            setup, mailbox: try Mailbox<ShardLetter>(), logger: lines.logger)
        attendant.handle(.damaged(segments: 3), now: MonotonicClock.now)
        #expect(lines.lines.count == 1)
        #expect(lines.lines.first?.hasPrefix("warning the disk tier is damaged") == true)
        #expect(lines.lines.first?.contains(" segments=3 ") == true, "\(lines.lines)")
    }

    @Test func aFirstTierReplacesNone() throws {
        defer { directory.remove() }
        #expect(try open() == false)
        #expect(!lines.lines.contains { $0.contains("the disk tier starts empty") })
    }

    @Test(arguments: [(UInt8(0), "its first page is empty"), (0x78, "is damaged")])
    func aFileThatCannotBeReadIsReplacedWithAWarning(byte: UInt8, reason: String) throws {
        defer { directory.remove() }
        try Data(repeating: byte, count: 8_192).write(to: URL(fileURLWithPath: setup.path))
        #expect(try open() == true)
        let said = lines.lines.filter { $0.hasPrefix("warning the disk tier starts empty") }
        #expect(said.count == 1 && said.first?.contains(reason) == true, "\(lines.lines)")
    }
}
