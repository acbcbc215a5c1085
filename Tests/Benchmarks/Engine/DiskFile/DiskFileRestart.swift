import CacheDisk
import Storage
import Foundation
import TestSupport
import Threading

/// Restarts after kill -9: one process writes the entries and kills itself, and every other one
/// opens what it finds, tells how long that took, and kills itself too.
struct DiskFileRestart {
    let directory: String
    let entries: Int
    let openings: Int

    func run() throws {
        let asked = entries >= 5_000_000 ? "≤ 5 s, stretch 1.5" : "≤ 0.5 s, stretch 0.15"
        defer { DiskFileCommand.removeFiles(in: directory) }
        _ = try live("fill")
        var (warm, answer, cold) = (Sample(), Sample(), Sample())
        var recovered = 0
        for _ in 0..<openings {
            let found = try opened()
            warm.add(found.open)
            answer.add(found.answer)
            recovered = found.entries
            try DiskFileBytes.leavePageCache(DiskFileCommand.path(in: directory))
            cold.add(try opened().answer)
        }
        let name = "restart, \(entries) entries"
        Report.print("\(name): recovered", "\(recovered)")
        Report.print("\(name): open", Report.milliseconds(warm.median))
        Report.print("\(name): first value", Report.milliseconds(answer.median), asked: asked)
        Report.print("\(name): first value, cold", Report.milliseconds(cold.median))
    }

    private func opened() throws -> (open: Double, answer: Double, entries: Int) {
        let words = try live("open").split(separator: " ").compactMap { Double($0) }
        guard words.count == 3 else { throw GaveUp("a process did not open the tier") }
        return (words[0], words[1], Int(words[2]))
    }

    /// - Returns: what it wrote.
    private func live(_ life: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = ["disk-file-life", directory, life, "--entries", "\(entries)"]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL
        else { throw GaveUp("a process ended before it was killed") }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
