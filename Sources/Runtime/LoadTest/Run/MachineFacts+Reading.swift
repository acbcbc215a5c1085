import CacheModel
import EssentialFoundation

extension MachineFacts {
    /// Reads the facts of this machine.
    package static func read() -> MachineFacts {
        var facts = MachineFacts()
        let process = ProcessInfo.processInfo
        facts.hostName = process.hostName
        facts.processorCount = process.activeProcessorCount
        facts.memoryBytes = process.physicalMemory
        facts.system = system
        facts.processor = processor
        #if DEBUG
            facts.build = "debug"
        #else
            facts.build = "release"
        #endif
        return facts
    }

    private static var system: String? {
        let name = line(of: "/etc/os-release", after: "PRETTY_NAME=")
            .map { String($0.trimmed { $0 == "\"" }) }
        let kernel = text(of: "/proc/sys/kernel/osrelease").map { "Linux \($0)" }
        let parts = [name ?? ProcessInfo.processInfo.operatingSystemVersionString, kernel]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static var processor: String? {
        line(of: "/proc/cpuinfo", after: "model name")
            .map { String($0.trimmed { " \t:".contains($0) }) }
    }

    private static func line(of path: String, after prefix: String) -> String? {
        let lines = text(of: path)?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    /// - Returns: `nil` without such a file: then the fact is unknown.
    private static func text(of path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(String(decoding: data, as: UTF8.self).trimmed())
    }
}
