import CacheDisk
import Storage
import Foundation
import Testing
import TestSupport
import ZeroMQ

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A tier's file in a directory of its own under the temporary one, and who waits for it.
final class FileBench {
    private let temporary: TemporaryDirectory
    let geometry: DiskGeometry
    var options = FileStorageOptions()

    static let usual = DiskGeometry(
        checkpointBytes: 4_096, tailBytes: 64 << 10, segmentBytes: 4_096, segmentCount: 16)

    var directory: String { temporary.path }
    var path: String { FileStorage.path(in: directory + "/tier", shard: 3) }

    init(_ geometry: DiskGeometry? = FileBench.usual) throws {
        temporary = try TemporaryDirectory("disk")
        self.geometry = try #require(geometry)
    }

    /// With parts of a MiB each.
    static func large(segmentCount: Int) throws -> FileBench {
        try FileBench(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 1 << 20, segmentBytes: 1 << 20,
                segmentCount: segmentCount))
    }

    func open() throws -> FileStorage { try FileStorage(path, options: options) }

    /// A storage that is ready, on a file that is new.
    func make() throws -> FileStorage {
        let storage = try open()
        try storage.prepare(geometry, anew: true)
        return storage
    }

    /// Submits and waits for as many completions, in the order they came.
    func run(_ commands: [DiskCommand], on storage: FileStorage) throws -> [DiskCompletion] {
        storage.submit(commands)
        return try completions(commands.count, of: storage)
    }

    /// Waits for so many completions, by the bell.
    func completions(_ count: Int, of storage: FileStorage) throws -> [DiskCompletion] {
        var poller = Poller()
        let bell = poller.add(storage.bell)
        var found: [DiskCompletion] = []
        let deadline = ContinuousClock.now + .seconds(60)
        while found.count < count {
            try #require(ContinuousClock.now < deadline, "\(found.count) of \(count) came")
            _ = try poller.wait(timeout: .seconds(1))
            found += storage.takeCompletions(isHeard: poller.isReady(bell))
        }
        #expect(found.count == count)
        return found
    }

    func read(
        _ byteCount: Int, at offset: Int, of storage: FileStorage
    ) throws -> DiskCompletion.Outcome {
        let answer = try run([.read(DiskTicket(1), byteCount: byteCount, at: offset)], on: storage)
        return answer[0].outcome
    }

    /// What the file holds, seen by somebody else.
    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { file.closeFile() }
        try file.seek(toOffset: UInt64(range.lowerBound))
        return [UInt8](try file.read(upToCount: range.count) ?? Data())
    }

    /// Another process cuts the file.
    func cut(to length: Int) throws {
        #expect(truncate(path, off_t(length)) == 0)
    }

    /// Bytes that are the same for the same seed, and unlike for others.
    static func pattern(_ seed: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 7_919) >> 3) }
    }
}

extension DiskCompletion.Outcome {
    var bytes: [UInt8]? {
        if case .read(let bytes) = self { bytes } else { nil }
    }

    var failure: DiskFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }

    var isDone: Bool {
        if case .done = self { true } else { false }
    }
}
