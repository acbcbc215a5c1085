import ArgumentParser
import CacheDisk
import Storage
import Foundation

/// The disk tier on a real file: writing, reading what is not in the page cache, restarting.
struct DiskFileCommand: ParsableCommand {
    enum Part: String, CaseIterable, ExpressibleByArgument { case readWrite = "rw", restart }

    static let configuration = CommandConfiguration(
        commandName: "disk-file", abstract: "The disk tier on a real file.",
        discussion: """
            The tier and its file as they ship, driven as a shard drives them, on one thread \
            beside those of the file. Beside fio it is run by Tests/Benchmarks/disk_file.py. Its \
            file lies in the directory, which is made if it is missing, and is removed at the end.
            """)

    @Argument(help: "Where the file is made: on the disk that is measured.") var directory: String
    @Option(help: "rw, restart; all of them without.") var part: [Part] = []
    @Option(help: "MiB of the file for writing and reading.") var mebibytes = 2_048
    @Option(help: "Times the ring is written from end to end.") var rounds = 2
    @Option(help: "Bytes of each value.") var valueBytes = 4_096
    @Option(help: "Gets one by one; twice as many are made many at a time.") var reads = 20_000
    @Option(help: "Gets at a time.") var depth = 32
    @Option(help: "Threads that read.") var readers = CacheFilesLimits.readersUsual
    @Option(help: "Entries of 100 bytes that a restart finds.") var entries: [Int] = [1_000_000]
    @Option(help: "Restarts, each warm and cold.") var openings = 3

    static func path(in directory: String) -> String {
        FileStorage.path(in: directory, shard: 0)
    }

    static func removeFiles(in directory: String) {
        do {
            try FileManager.default.removeItem(atPath: path(in: directory))
        } catch {
            print("\(path(in: directory)) is left behind: \(error)")
        }
    }

    func validate() throws {
        guard rounds > 0, valueBytes >= 8, reads > 0, depth > 0,
            CacheFilesLimits.readers.contains(readers)
        else {
            throw ValidationError("there is nothing to be measured")
        }
        guard !FileManager.default.fileExists(atPath: Self.path(in: directory)) else {
            throw ValidationError("\(Self.path(in: directory)) is there already: remove it")
        }
    }

    func run() throws {
        let parts = part.isEmpty ? Part.allCases : part
        if parts.contains(.readWrite) { try readAndWrite() }
        guard parts.contains(.restart) else { return }
        for entries in entries {
            try DiskFileRestart(
                directory: directory, entries: entries, openings: openings
            ).run()
        }
    }

    private func readAndWrite() throws {
        guard let geometry = DiskGeometry.fitting(mebibytes << 20) else {
            throw ValidationError("a tier has at least \(DiskLimits.fileBytesMin >> 20) MiB")
        }
        let path = Self.path(in: directory)
        defer { Self.removeFiles(in: directory) }
        let (end, perRound) = try DiskFileWriting(
            path: path, geometry: geometry, valueBytes: valueBytes, rounds: rounds
        ).run()
        // The newer half is there, whatever has been reclaimed.
        let reading = DiskFileReading(
            path: path, geometry: geometry, numbers: end - perRound / 2..<end, reads: reads,
            depth: depth)
        try reading.run(.threads(readers))
        try reading.run(.ring)
    }
}
