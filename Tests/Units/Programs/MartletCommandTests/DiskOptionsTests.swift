import ArgumentParser
import CacheConfiguration
import CommandSurface
import Testing

@testable import martlet

/// `martlet node`'s disk tier: flags, variables and the file's.
@Suite struct DiskOptionsTests {
    private static let file = DiskSettings(directory: "/file", bytes: 1 << 30, reads: .ring)

    private func settings(
        _ flags: [String], _ file: DiskSettings? = nil, shards: Int = 1,
        _ environment: [String: String] = [:]
    ) throws -> DiskSettings? {
        try NodeCommand.parse(flags).disk.settings(file, shards: shards, environment: environment)
    }

    /// The sentence that refuses it, after the exit code was looked at.
    private func refusal(
        _ flags: [String], _ file: DiskSettings? = nil, shards: Int = 1,
        _ environment: [String: String] = [:]
    ) throws -> String {
        do {
            _ = try settings(flags, file, shards: shards, environment)
            return "taken"
        } catch let failure as CommandFailure {
            #expect(failure.status == .wrongUsage)
            return failure.sentence
        }
    }

    @Test func withoutAnythingThereIsNoDiskTier() throws {
        #expect(try settings([]) == nil)
        #expect(try settings([], Self.file) == Self.file)
    }

    @Test func flagsComeBeforeVariablesAndVariablesBeforeTheFile() throws {
        let variables = [
            "MARTLET_DISK": "2GiB", "MARTLET_DISK_DIRECTORY": "/variable",
            "MARTLET_DISK_READS": "threads",
        ]
        #expect(
            try settings([], Self.file, variables)
                == DiskSettings(directory: "/variable", bytes: 2 << 30, reads: .threads))
        let flags = ["--disk", "3GiB", "--disk-directory", "/flag", "--disk-reads", "ring"]
        #expect(
            try settings(flags, Self.file, variables)
                == DiskSettings(directory: "/flag", bytes: 3 << 30, reads: .ring))
    }

    @Test func aFlagAloneChangesItsPartOfTheFiles() throws {
        #expect(
            try settings(["--disk", "64MiB"], Self.file)
                == DiskSettings(directory: "/file", bytes: 64 << 20, reads: .ring))
        #expect(
            try settings(["--disk-directory", "d"], Self.file)
                == DiskSettings(directory: "d", bytes: 1 << 30, reads: .ring))
        #expect(
            try settings(["--disk-reads", "threads"], Self.file)
                == DiskSettings(directory: "/file", bytes: 1 << 30, reads: .threads))
    }

    @Test func aWriteLimitComesFromFlagVariableOrFile() throws {
        var file = Self.file
        file.writeBytesPerSecond = 1 << 20
        func limit(
            _ flags: [String], _ environment: [String: String] = [:]
        ) throws -> Int? {
            try settings(flags, file, environment)?.writeBytesPerSecond
        }
        let variable = ["MARTLET_DISK_WRITE_LIMIT": "2MiB"]
        #expect(try limit([]) == 1 << 20)
        #expect(try limit([], variable) == 2 << 20)
        #expect(try limit(["--disk-write-limit", "3MiB"], variable) == 3 << 20)
        #expect(try limit(["--disk-write-limit", "none"], variable) == nil)
    }

    @Test func theSpaceLeftFreeComesFromFlagVariableOrFile() throws {
        var file = Self.file
        file.leftFreeBytes = 1 << 30
        func leftFree(
            _ flags: [String], _ environment: [String: String] = [:]
        ) throws -> Int? {
            try settings(flags, file, environment)?.leftFreeBytes
        }
        let variable = ["MARTLET_DISK_FREE": "2GiB"]
        #expect(try leftFree([]) == 1 << 30)
        #expect(try leftFree([], variable) == 2 << 30)
        #expect(try leftFree(["--disk-free", "3GiB"], variable) == 3 << 30)
        #expect(try leftFree(["--disk-free", "none"], variable) == nil)
        #expect(
            try refusal([], Self.file, ["MARTLET_DISK_FREE": "1KiB"])
                == "MARTLET_DISK_FREE: \"1KiB\" is too small; give 1MiB to 1024TiB, or none")
    }

    @Test func noneTurnsTheFilesDiskTierOff() throws {
        #expect(try settings(["--disk", "none"], Self.file) == nil)
        #expect(try settings([], Self.file, ["MARTLET_DISK": "none"]) == nil)
        #expect(try settings(["--disk", "none", "--disk-directory", "/d"], Self.file) == nil)
    }

    /// An image may name the place, and whoever runs it the size.
    @Test func aDirectoryVariableAloneEnablesNoDiskTier() throws {
        #expect(try settings([], nil, ["MARTLET_DISK_DIRECTORY": "/data"]) == nil)
    }

    @Test func invalidDiskOptionsAreRefusedWithTheNameOfTheirSource() throws {
        let directory = ["--disk-directory", "/d"]
        #expect(
            try refusal(["--disk", "1GiB"])
                == "the disk tier has no place: say --disk-directory DIRECTORY too")
        let alone =
            "--disk-directory, --disk-reads, --disk-write-limit and --disk-free are for a disk "
            + "tier: say --disk SIZE too"
        #expect(try refusal(directory) == alone)
        #expect(try refusal(["--disk-write-limit", "1MiB"]) == alone)
        #expect(try refusal(["--disk-free", "1GiB"]) == alone)
        #expect(
            try refusal(["--disk-write-limit", "1"], Self.file)
                == "--disk-write-limit: \"1\" has no unit; write 1B if bytes are meant, or none")
        #expect(
            try refusal([], Self.file, ["MARTLET_DISK_WRITE_LIMIT": "1KiB"])
                == "MARTLET_DISK_WRITE_LIMIT: \"1KiB\" is too small; give 64KiB to 1TiB, or none")
        #expect(try refusal(["--disk-reads", "ring"]) == alone)
        #expect(
            try refusal(["--disk", "1GiB", "--disk-directory", ""])
                == "--disk-directory: that is no directory; give a path of 1 to 1000 bytes")
        #expect(
            try refusal(["--disk", "8MiB"] + directory)
                == "--disk: \"8MiB\" is too little for 1 shard; give 16MiB to 128GiB, or none")
        #expect(
            try refusal(directory, nil, ["MARTLET_DISK": "8"])
                == "MARTLET_DISK: \"8\" has no unit; write 8B if bytes are meant, or none")
        #expect(
            try refusal([], Self.file, ["MARTLET_DISK_READS": "rings"])
                == "MARTLET_DISK_READS is threads or ring, not \"rings\"")
    }

    @Test func theFilesSizeMustDoForTheShardsOfTheFlagsToo() throws {
        #expect(try settings([], Self.file, shards: 64) == Self.file)
        var small = Self.file
        small.bytes = 32 << 20
        #expect(
            try refusal([], small, shards: 4)
                == "disk in the configuration: \"32MiB\" is too little for 4 shards; give 64MiB to "
                + "512GiB, or none")
    }
}
