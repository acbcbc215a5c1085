import Foundation
import Storage
import TestSupport
import Threading
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The file of a write queue: whole or as it was, and one node's alone.
@Suite struct QueueFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let temporary = try TemporaryDirectory("queue")
        defer { temporary.remove() }
        try body(temporary.path("queue"))
    }

    @Test func whatIsWrittenIsThereForTheNext() throws {
        try withDirectory { directory in
            let file = try QueueFile(directory)
            #expect(try file.read() == nil)
            try file.replace(with: [1, 2, 3])
            try file.append([4, 5], at: 3)
            try file.append([6], at: 4)
            #expect(try file.read() == [1, 2, 3, 4, 6])
            file.unlock()
            #expect(try QueueFile(directory).read() == [1, 2, 3, 4, 6])
        }
    }

    @Test func filesOfOthersInItsDirectoryAreLeftAlone() throws {
        try withDirectory { directory in
            try QueueFile(directory).unlock()
            for name in ["notes.new", "stamp.new", "journal.new"] {
                try Data("mine".utf8).write(to: URL(fileURLWithPath: directory + "/" + name))
            }
            try QueueFile(directory).unlock()
            let left = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(left.contains("notes.new") && left.contains("stamp.new"))
            #expect(!left.contains("journal.new"))
        }
    }

    @Test func aSecondNodeIsToldThatItIsInUse() throws {
        try withDirectory { directory in
            let file = try QueueFile(directory)
            #expect(throws: LogFileError.queueInUse(directory: directory)) {
                _ = try QueueFile(directory)
            }
            file.unlock()
        }
    }

    @Test(arguments: [LogFaults.Step.create, .write, .synchronize, .rename])
    func aNewFileThatFailsLeavesTheOldOne(step: LogFaults.Step) throws {
        try withDirectory { directory in
            let good = try QueueFile(directory)
            try good.replace(with: [1, 2, 3])
            good.unlock()
            let failing = Failing()
            let file = try QueueFile(
                directory, faults: LogFaults { failing.code(at: $0, of: step) })
            failing.begin()
            #expect(throws: LogFileError.self) { try file.replace(with: [9]) }
            failing.end()
            #expect(try file.read() == [1, 2, 3])
            file.unlock()
        }
    }

    /// Calls that fail from one moment to another.
    private final class Failing: Sendable {
        private let isOn = Guarded(false)

        func begin() { isOn.withLock { $0 = true } }
        func end() { isOn.withLock { $0 = false } }

        func code(at step: LogFaults.Step, of failing: LogFaults.Step) -> CInt {
            isOn.withLock { $0 } && step == failing ? ENOSPC : 0
        }
    }
}
