import Foundation
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the system says of processes.
enum ProcessTable {
    /// Whether it runs. One that has ended and only waits to be reaped does not.
    static func isAlive(_ processID: Int32) -> Bool {
        guard kill(processID, 0) == 0 else { return false }
        return stat(processID)?.first != "Z"
    }

    static func send(_ signal: Int32, to processID: Int32) { kill(processID, signal) }

    /// Stops it, and returns once it stands. The system tells one of its threads, which tells the
    /// others: until they have all been on a processor once more, they go on.
    static func stop(_ processID: Int32) async throws {
        kill(processID, SIGSTOP)
        try await eventually("process \(processID) is stopped") { isStopped(processID) }
    }

    /// Whether all of its threads are stopped; so too where the system has no `/proc`.
    private static func isStopped(_ processID: Int32) -> Bool {
        let directory = "/proc/\(processID)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return threads.allSatisfy { thread in
            fields(of: "\(directory)/\(thread)/stat")?.first == "T"
        }
    }

    /// The names of its threads; empty where the system has no `/proc`.
    static func threadNames(of processID: Int32) -> [String] {
        let directory = "/proc/\(processID)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return threads.compactMap { thread in
            let name = try? String(contentsOfFile: "\(directory)/\(thread)/comm", encoding: .utf8)
            return name?.trimmingCharacters(in: .newlines)
        }
    }

    /// The processes whose parent it is; empty where the system has no `/proc`.
    static func children(of parent: Int32) -> [Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap(Int32.init).filter { processID in
            guard let fields = stat(processID), fields.count > 1 else { return false }
            return Int32(fields[1]) == parent
        }
    }

    /// The memory it has in use, in bytes; `nil` where the system has no `/proc`.
    static func residentBytes(_ processID: Int32) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/\(processID)/statm", encoding: .utf8)
        else { return nil }
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(getpagesize())
    }

    /// The fields of its line after the name in parentheses: state, parent and so on.
    private static func stat(_ processID: Int32) -> [Substring]? {
        fields(of: "/proc/\(processID)/stat")
    }

    private static func fields(of path: String) -> [Substring]? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
