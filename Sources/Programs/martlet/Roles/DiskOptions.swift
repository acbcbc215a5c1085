import ArgumentParser
import CacheConfiguration
import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskReadMode: ExpressibleByArgument {}

/// A node's disk tier on the command line.
struct DiskOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Disk for entries that the memory has no room for, all shards together, or none.",
            valueName: "size"))
    var disk: String?

    @Option(
        help: ArgumentHelp(
            "Where they are kept: a directory on a local disk, this node's alone.",
            valueName: "directory"))
    var diskDirectory: String?

    @Option(
        help: ArgumentHelp(
            """
            ring: the kernel reads (io_uring), where it can; threads: a few threads do. Usually \
            ring.
            """,
            valueName: "mode"))
    var diskReads: DiskReadMode?

    @Option(
        help: ArgumentHelp(
            """
            What may be written there in a second of what memory evicts, all shards together, or \
            none for no limit.
            """,
            valueName: "size"))
    var diskWriteLimit: String?

    @Option(
        help: ArgumentHelp(
            """
            Free space to leave on the file system of the disk tier: while less is free, the tier \
            gives room back; or none.
            """,
            valueName: "size"))
    var diskFree: String?

    /// What holds for a node of so many shards: flags first, then `MARTLET_…` variables, then the
    /// configuration's `file`. `nil`: no disk tier.
    func settings(
        _ file: DiskSettings?, shards: Int,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> DiskSettings? {
        guard let size = size(file, environment) else {
            guard diskDirectory == nil, diskReads == nil, diskWriteLimit == nil, diskFree == nil
            else {
                throw CommandFailure(
                    .wrongUsage,
                    "--disk-directory, --disk-reads, --disk-write-limit and --disk-free are for a "
                        + "disk tier: say --disk SIZE too")
            }
            return nil
        }
        do {
            guard let bytes = try DiskSizeText.parse(size.text, shards: shards) else { return nil }
            return DiskSettings(
                directory: try directory(file, environment), bytes: bytes,
                reads: try reads(file, environment),
                writeBytesPerSecond: try writeLimit(file, environment),
                leftFreeBytes: try leftFree(file, environment))
        } catch let problem as TextProblem {
            throw CommandFailure(.wrongUsage, "\(size.source): \(problem)")
        }
    }

    private func size(
        _ file: DiskSettings?, _ environment: [String: String]
    ) -> (text: String, source: String)? {
        if let disk { return (disk, "--disk") }
        if let variable = environment["MARTLET_DISK"] { return (variable, "MARTLET_DISK") }
        return file.map { (ByteSizeText.format($0.bytes), "disk in the configuration") }
    }

    private func directory(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> String {
        let variable = environment["MARTLET_DISK_DIRECTORY"]
        guard let text = diskDirectory ?? variable ?? file?.directory else {
            throw CommandFailure(
                .wrongUsage, "the disk tier has no place: say --disk-directory DIRECTORY too")
        }
        do {
            return try DirectoryText.parse(text)
        } catch {
            let source = diskDirectory == nil ? "MARTLET_DISK_DIRECTORY" : "--disk-directory"
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }

    private func writeLimit(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> Int? {
        let variable = environment["MARTLET_DISK_WRITE_LIMIT"]
        guard let text = diskWriteLimit ?? variable else { return file?.writeBytesPerSecond }
        do {
            return try WriteLimitText.parse(text)
        } catch {
            let source =
                diskWriteLimit == nil ? "MARTLET_DISK_WRITE_LIMIT" : "--disk-write-limit"
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }

    private func leftFree(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> Int? {
        let variable = environment["MARTLET_DISK_FREE"]
        guard let text = diskFree ?? variable else { return file?.leftFreeBytes }
        do {
            return try DiskFreeText.parse(text)
        } catch {
            let source = diskFree == nil ? "MARTLET_DISK_FREE" : "--disk-free"
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }

    private func reads(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> DiskReadMode {
        if let diskReads { return diskReads }
        guard let variable = environment["MARTLET_DISK_READS"] else {
            return file?.reads ?? .ring
        }
        guard let mode = DiskReadMode(rawValue: variable) else {
            throw CommandFailure(
                .wrongUsage,
                "MARTLET_DISK_READS is threads or ring, not \(TextProblem.quote(variable))")
        }
        return mode
    }
}
