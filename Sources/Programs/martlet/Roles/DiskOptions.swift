import ArgumentParser
import CacheConfiguration
import CommandSurface

extension DiskReadMode: ExpressibleByArgument {}

/// A node's disk tier on the command line.
struct DiskOptions: ParsableArguments {
    @Option(
        help: .value(
            "size",
            "Disk for entries that the memory has no room for, all shards together, or none."))
    var disk: String?

    @Option(
        help: .value(
            "directory", "Where they are kept: a directory on a local disk, this node's alone."))
    var diskDirectory: String?

    @Option(
        help: .value(
            "mode",
            """
            ring: the kernel reads (io_uring), where it can; threads: a few threads do. Usually \
            ring.
            """))
    var diskReads: DiskReadMode?

    @Option(
        help: .value(
            "size",
            """
            What may be written there in a second of what memory evicts, all shards together, or \
            none for no limit.
            """))
    var diskWriteLimit: String?

    @Option(
        help: .value(
            "size",
            """
            Free space to leave on the file system of the disk tier: while less is free, the tier \
            gives room back; or none.
            """))
    var diskFree: String?

    /// What holds for a node of so many shards: flags first, then `MARTLET_…` variables, then the
    /// configuration's `file`. `nil`: no disk tier.
    func settings(
        _ file: DiskSettings?, shards: Int,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> DiskSettings? {
        let given =
            GivenText(disk, "--disk", environment)
            ?? file.map {
                GivenText(text: ByteSizeText.format($0.bytes), source: "disk in the configuration")
            }
        guard let given else {
            guard diskDirectory == nil, diskReads == nil, diskWriteLimit == nil, diskFree == nil
            else {
                throw CommandFailure(
                    .wrongUsage,
                    "--disk-directory, --disk-reads, --disk-write-limit and --disk-free are for a "
                        + "disk tier: say --disk SIZE too")
            }
            return nil
        }
        let bytes = try given.parsed { try DiskSizeText.parse($0, shards: shards) }
        guard let bytes else { return nil }
        return DiskSettings(
            directory: try directory(file, environment), bytes: bytes,
            reads: try reads(file, environment),
            writeBytesPerSecond: try writeLimit(file, environment),
            leftFreeBytes: try leftFree(file, environment))
    }

    private func directory(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> String {
        if let given = GivenText(diskDirectory, "--disk-directory", environment) {
            return try given.parsed(by: DirectoryText.parse)
        }
        guard let directory = file?.directory else {
            throw CommandFailure(
                .wrongUsage, "the disk tier has no place: say --disk-directory DIRECTORY too")
        }
        return directory
    }

    private func writeLimit(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> Int? {
        let given = GivenText(diskWriteLimit, "--disk-write-limit", environment)
        guard let given else { return file?.writeBytesPerSecond }
        return try given.parsed {
            try ByteSizeText.parseOptional($0, in: ConfigurationLimits.diskWriteBytesPerSecond)
        }
    }

    private func leftFree(
        _ file: DiskSettings?, _ environment: [String: String]
    ) throws -> Int? {
        let given = GivenText(diskFree, "--disk-free", environment)
        guard let given else { return file?.leftFreeBytes }
        return try given.parsed {
            try ByteSizeText.parseOptional($0, in: ConfigurationLimits.diskLeftFreeBytes)
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
