import CacheDisk
import Storage
import Foundation
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What is stored in the tail, whatever becomes of the process or of the file.
@Suite struct TailTests {
    @Test func whatIsStoredIsInTheFileAtOnce() throws {
        let bench = try FileBench()
        let storage = try bench.make()
        defer { storage.close() }
        let (bytes, offset) = (FileBench.pattern(3, 9_000), bench.geometry.tailOffset)
        storage.tail[777..<9_777].copyBytes(from: bytes)
        let (seen, before) = (
            try bench.bytes(offset + 777..<offset + 9_777),
            try bench.bytes(offset - 4_096..<offset)
        )
        #expect(seen == bytes && before.allSatisfy { $0 == 0 })
    }

    @Test func whatIsStoredOutlivesAKilledProcess() async throws {
        let bench = try FileBench()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = bench.path as String] in
            let storage = try FileStorage(path)
            try storage.prepare(try #require(FileBench.usual), anew: true)
            storage.tail.copyBytes(from: FileBench.pattern(8, 64 << 10))
            kill(getpid(), SIGKILL)
        }
        let storage = try bench.open()
        try storage.prepare(bench.geometry, anew: false)
        #expect(Array(storage.tail) == FileBench.pattern(8, 64 << 10))
        storage.close()
    }

    @Test func aCutFileLosesTheTailAndNothingElse() throws {
        let (bench, other) = (try FileBench(), try FileBench())
        let (storage, unharmed) = (try bench.make(), try other.make())
        defer { unharmed.close() }
        storage.tail.copyBytes(from: FileBench.pattern(1, 64 << 10))
        try bench.cut(to: bench.geometry.tailOffset + 4_096)
        #expect(!storage.isTailLost)
        storage.tail[5_000] = 9
        #expect(storage.isTailLost && !unharmed.isTailLost)
        // All of it is plain memory now, with what was stored since.
        #expect(storage.tail[0] == 0 && storage.tail[5_000] == 9 && storage.tail[60_000] == 0)
        let answers = try bench.run(
            [.write(DiskTicket(1), .tail(0..<10), at: bench.geometry.segmentsOffset)], on: storage)
        #expect(answers[0].outcome.failure == .device("the tail was lost"))
        storage.close()
        // And the place in the table is free again, and clean.
        let again = try bench.make()
        #expect(!again.isTailLost)
        again.close()
    }

    @Test func aTailThatTheSystemCannotReadIsLost() throws {
        let bench = try FileBench()
        let storage = try bench.make()
        try bench.cut(to: bench.geometry.tailOffset)
        let answers = try bench.run(
            [.write(DiskTicket(1), .tail(0..<9_000), at: 0)], on: storage)
        #expect(answers[0].outcome.failure == .device("the tail was lost"))
        #expect(storage.isTailLost)
        storage.tail[0] = 1
        #expect(storage.tail[0] == 1)
        storage.close()
    }

    /// Whether the tail is lost with it is the file system's affair: ext4 keeps what it cannot
    /// write in memory, where it outlives this process, too.
    @Test func aDiskThatBreaksDownSparesTheProcess() throws {
        guard let disk = try SmallDisk.ext4(megabytes: 16) else { return }
        let bench = try FileBench()
        let storage = try FileStorage(disk.path + "/shard-0.tier")
        try storage.prepare(bench.geometry, anew: true)
        storage.tail[0] = 1
        // What lies on the disk has to be asked for again before it may change.
        _ = try bench.run([.synchronize(DiskTicket(1))], on: storage)
        guard try disk.breakDown() else {
            print("skipped, a disk cannot be broken here")
            return storage.close()
        }
        storage.tail[1] = 2
        #expect(storage.tail[1] == 2)
        let offset = bench.geometry.segmentsOffset
        let answers = try bench.run(
            [.write(DiskTicket(2), .owned([1]), at: offset), .synchronize(DiskTicket(3))],
            on: storage)
        #expect(answers[0].outcome.failure == .readOnly)
        #expect(answers[1].outcome.failure != nil)
        storage.close()
    }

    @Test func everyPlaceInTheTableIsUsedAgain() throws {
        let bench = try FileBench()
        for _ in 0..<CacheFilesLimits.tailsMax + 1 { try bench.make().close() }
    }

    @Test func aBusErrorElsewhereEndsTheProcessAsEver() async throws {
        let (bench, other) = (try FileBench(), try FileBench())
        try other.make().close()
        await #expect(processExitsWith: .failure) {
            [path = bench.path as String, cut = other.path as String] in
            let storage = try FileStorage(path)
            try storage.prepare(try #require(FileBench.usual), anew: true)
            let file = open(cut, O_RDWR)
            let mapped = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            truncate(cut, 0)
            mapped?.storeBytes(of: 1, as: UInt8.self)
            storage.close()
            exit(EXIT_SUCCESS)
        }
        await #expect(processExitsWith: .failure) { [path = bench.path as String] in
            let storage = try FileStorage(path)
            try storage.prepare(try #require(FileBench.usual), anew: true)
            kill(getpid(), SIGBUS)
            storage.close()
            exit(EXIT_SUCCESS)
        }
        // Both came as far as that.
        #expect(try bench.open().sizeBytes == bench.geometry.fileBytes)
    }
}
