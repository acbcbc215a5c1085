package import CacheMetrics
import CacheModel
import EssentialFoundation
import LibC
import Threading

/// What the system knows of this process, under the names that every Prometheus client uses.
package struct ProcessWatch: Sendable {
    private let version: String
    private let role: String
    /// In seconds since 1970; `nil` where the system does not tell.
    private let startTime: Double?

    /// - Parameters:
    ///   - role: what the process is, such as `node`.
    ///   - version: of the program.
    package init(role: String, version: String) {
        self.role = role
        self.version = version
        startTime = Self.startTime
    }

    package var page: MetricPage {
        var page = MetricPage()
        page.add(
            Family.build, [MetricLabel("version", version), MetricLabel("role", role)], .count(1))
        page.add(Family.processor, .number(Self.processorSeconds))
        if let startTime { page.add(Family.start, .number(startTime)) }
        if let bytes = ResidentMemory.bytes { page.add(Family.resident, .count(UInt64(bytes))) }
        if let usage = Descriptors.usage {
            page.add(Family.descriptors, .count(UInt64(usage.open)))
            page.add(Family.descriptorsMax, .count(UInt64(usage.max)))
        }
        return page
    }

    /// Every metric of a process.
    package static let families = [
        Family.build, Family.processor, Family.start, Family.resident, Family.descriptors,
        Family.descriptorsMax,
    ]

    private enum Family {
        static let build = MetricFamily(
            .info, "martlet_build", "Which release this is, and what the process is.")
        static let processor = MetricFamily(
            .counter, "process_cpu_seconds", "Time of the processor, in user and kernel.")
        static let start = MetricFamily(
            .gauge, "process_start_time_seconds", "When the process began, since 1970.")
        static let resident = MetricFamily(
            .gauge, "process_resident_memory_bytes", "Memory of the process that is in memory.")
        static let descriptors = MetricFamily(
            .gauge, "process_open_fds", "Descriptors open: sockets, files, and what wakes threads.")
        static let descriptorsMax = MetricFamily(
            .gauge, "process_max_fds", "Descriptors that may be open.")
    }

    // MARK: Asking the system

    private static var processorSeconds: Double {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_SELF, &usage)
        #else
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// From how long the machine has run, and when in that the process began: both are told of a
    /// clock that no step of the calendar moves.
    private static var startTime: Double? {
        // What stands behind the program's name, which may have blanks in it.
        let text = words(of: "/proc/self/stat").joined(separator: " ")
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        let begun = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        return Date().timeIntervalSince1970
            - (Double(MonotonicClock.now.nanoseconds) / 1e9 - begun)
    }

    private static func words(of file: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: " ")
    }
}
