import CacheModel
import Foundation
import Storage
import Logging
import TestSupport
import Testing
import Threading

@testable import CacheLoading
@testable import CacheServer

/// A write queue on a full disk: docs/decisions/0095.
@Suite struct OpenedQueueTests {
    private let isFull = Guarded(true)

    private var faults: LogFaults {
        LogFaults { [isFull] step in
            step == .write && isFull.withLock { $0 } ? ENOSPC : 0
        }
    }

    private static func order(_ number: UInt64) -> WriteQueueAction.JournalOrder {
        WriteQueueAction.JournalOrder(
            number: number, isWhole: true, records: [.done(WriteNumber(number))])
    }

    @Test func aFullDiskKeepsNoNodeDownAndLosesNothing() throws {
        let directory = try TemporaryDirectory("queue")
        defer { directory.remove() }
        let path = directory.path("queue")
        let before = try OpenedQueue(path)
        before.file.unlock()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/journal"))

        let opened = try OpenedQueue(path, faults: faults)
        #expect(opened.trouble?.isDiskFull == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/journal")) == bytes)
        #expect(!FileManager.default.fileExists(atPath: path + "/journal.new"))
        opened.file.unlock()
    }

    @Test func whatCannotBeReadIsAnErrorOfTheStart() throws {
        let directory = try TemporaryDirectory("queue")
        defer { directory.remove() }
        let path = directory.path("queue")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        try Data("no journal".utf8).write(to: URL(fileURLWithPath: path + "/journal"))
        #expect(throws: QueueStartError.self) { try OpenedQueue(path) }
    }

    @Test func aFullDiskIsSaidOnceAndSoIsItsEnd() throws {
        let directory = try TemporaryDirectory("queue")
        defer { directory.remove() }
        let lines = LinesLogged()
        let origins = try Mailbox<OriginLetter>()
        let queue = try QueueThread(
            OpenedQueue(directory.path("queue"), faults: faults), tells: origins,
            logger: lines.logger)
        for number in 1...50 as ClosedRange<UInt64> {
            queue.mailbox.post(.write(Self.order(number)))
        }
        try awaitOrders(50, from: origins)
        isFull.withLock { $0 = false }
        for number in 51...60 as ClosedRange<UInt64> {
            queue.mailbox.post(.write(Self.order(number)))
        }
        try awaitOrders(10, from: origins)
        queue.stop()
        let said = lines.lines
        #expect(said.count { $0.contains("the write queue takes nothing") } == 1, "\(said)")
        #expect(said.count { $0.contains("takes writes again") } == 1, "\(said)")
        #expect(said.count == 2)
    }

    private func awaitOrders(_ count: Int, from origins: Mailbox<OriginLetter>) throws {
        var left = count
        try waitUntil("\(count) orders have ended") {
            left -= origins.takeAll().count
            return left <= 0
        }
        #expect(left == 0)
    }
}
