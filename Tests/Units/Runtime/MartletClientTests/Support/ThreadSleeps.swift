import Foundation
import Testing

/// How often the calling thread has gone to sleep. A processor that others use takes time from who
/// spins, but puts nobody to sleep.
enum ThreadSleeps {
    static var count: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt") }
            return try #require(line?.split(separator: "\t").last.flatMap { Int($0) })
        }
    }
}
