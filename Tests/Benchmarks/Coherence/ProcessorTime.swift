import Foundation

/// What processes have cost so far: the figure that a busy machine disturbs least.
enum ProcessorTime {
    /// Nanoseconds of processor time of all these processes; 0 where the system does not tell.
    static func nanoseconds(of processes: [Int32]) -> Double {
        processes.reduce(0) { $0 + nanoseconds(of: $1) }
    }

    private static func nanoseconds(of process: Int32) -> Double {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else {
            return 0
        }
        // The name stands in brackets and may hold anything; user and system time are the
        // fourteenth and fifteenth word.
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return 0 }
        let words = text[text.index(after: end)...].split(separator: " ")
        guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else {
            return 0
        }
        return (user + system) * 1e9 / Double(sysconf(CInt(_SC_CLK_TCK)))
    }
}
