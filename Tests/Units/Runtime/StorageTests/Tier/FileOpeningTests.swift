import CacheDisk
import Storage
import Foundation
import Testing
import TestSupport
import Threading

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Opening a tier's file, making it ready, and what people are told if that fails.
@Suite struct FileOpeningTests {
    private func status(_ path: String) -> stat {
        var found = stat()
        #expect(stat(path, &found) == 0)
        return found
    }

    @Test func aNewFileIsEmptyUntilItIsPrepared() throws {
        let bench = try FileBench()
        let storage = try bench.open()
        #expect(bench.path.hasSuffix("/tier/shard-3.tier"))
        #expect(storage.sizeBytes == 0 && storage.head == [])
        #expect(storage.imprint.number == UInt64(status(bench.path).st_ino))
        #expect(status(bench.path).st_mode & 0o777 == 0o600)
        #expect(status(bench.directory + "/tier").st_mode & 0o777 == 0o700)
        try storage.prepare(bench.geometry, anew: true)
        #expect(storage.tail.count == bench.geometry.tailBytes)
        #expect(storage.tail.allSatisfy { $0 == 0 })
        storage.close()
    }

    @Test func theFileHasItsRoomAndNoMore() throws {
        let bench = try FileBench.large(segmentCount: 8)
        let storage = try bench.make()
        let (full, base) = (bench.geometry.fileBytes, bench.geometry.segmentsOffset)
        #expect(status(bench.path).st_size == full)
        #expect(status(bench.path).st_blocks * 512 == full)
        let bytes = FileBench.pattern(1, 1 << 20)
        _ = try bench.run(
            (0..<8).map {
                .write(DiskTicket(UInt64($0)), .owned(bytes), at: base + $0 << 20)
            } + [.synchronize(DiskTicket(9))], on: storage)
        storage.close()
        #expect(status(bench.path).st_size == full)
        #expect(status(bench.path).st_blocks * 512 <= full)
    }

    @Test func anotherStartFindsWhatTheLastOneLeft() throws {
        let bench = try FileBench()
        let first = try bench.make()
        let head = FileBench.pattern(5, 4_096)
        _ = try bench.run([.write(DiskTicket(1), .owned(head), at: 0)], on: first)
        first.tail.copyBytes(from: FileBench.pattern(6, 40_000))
        first.close()

        let second = try bench.open()
        #expect(second.head == head && second.sizeBytes == bench.geometry.fileBytes)
        #expect(second.imprint == first.imprint)
        try second.prepare(bench.geometry, anew: false)
        #expect(Array(second.tail[..<40_000]) == FileBench.pattern(6, 40_000))
        second.close()

        let third = try bench.make()
        #expect(third.imprint == first.imprint && third.head == head)
        #expect(third.tail.allSatisfy { $0 == 0 })
        let emptied = try bench.bytes(0..<4_096)
        #expect(emptied.allSatisfy { $0 == 0 })
        third.close()
        let copy = bench.path + ".copy"
        try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
        #expect(try FileStorage(copy).imprint != first.imprint)
    }

    @Test func aFileOfAnotherSizeIsOnlyTakenAnew() throws {
        let bench = try FileBench()
        try bench.make().close()
        try bench.cut(to: bench.geometry.fileBytes - 1)
        let storage = try bench.open()
        let error = #expect(throws: DiskFileError.self) {
            try storage.prepare(bench.geometry, anew: false)
        }
        #expect(
            error
                == .wrongSize(
                    path: bench.path, foundBytes: bench.geometry.fileBytes - 1,
                    expectedBytes: bench.geometry.fileBytes))
        try storage.prepare(bench.geometry, anew: true)
        storage.close()
    }

    @Test func aFileIsLockedUntilItIsClosed() throws {
        let bench = try FileBench()
        let storage = try bench.make()
        let error = #expect(throws: DiskFileError.self) { try bench.open() }
        #expect(error == .inUse(path: bench.path))
        #expect(error?.description.contains("stop that one") == true)
        storage.close()
        try bench.make().close()
        do { _ = try bench.open() }
        // Nobody kept it: it was closed.
        try bench.make().close()
    }

    @Test func whatIsNoFileIsRefused() throws {
        let bench = try FileBench()
        let pipe = bench.directory + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, bench.directory, "/dev/null"] {
            let error = #expect(throws: DiskFileError.self) { try FileStorage(path) }
            #expect(error == .notAFile(path: path))
            #expect(error?.description.contains("name another directory") == true)
        }
    }

    @Test func aMissingParentIsNamed() throws {
        let bench = try FileBench()
        let error = #expect(throws: DiskFileError.self) {
            try FileStorage(bench.directory + "/a/b/shard-0.tier")
        }
        #expect(error == .call("make", path: bench.directory + "/a/b", code: ENOENT))
        #expect(error?.description.contains("create the directory") == true)
    }

    @Test func aFileInsteadOfTheTierDirectoryIsRefusedWithARemedy() throws {
        let bench = try FileBench()
        let file = bench.directory + "/mine"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: DiskFileError.self) { try FileStorage(file + "/shard-0.tier") }
        #expect(error == .call("open", path: file + "/shard-0.tier", code: ENOTDIR))
        #expect(error?.description.contains("a directory of its own") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("mine".utf8))
    }

    @Test(.enabled(if: getuid() != 0, "everybody is let in who is root"))
    func anUnwritableDirectoryIsRefusedWithARemedy() throws {
        let bench = try FileBench()
        #expect(mkdir(bench.directory + "/tier", 0o500) == 0)
        let error = #expect(throws: DiskFileError.self) { try bench.open() }
        #expect(error?.description.contains("let the user that runs the node") == true)
    }

    @Test func aFileSystemThatReservesNothingIsUnfit() throws {
        let bench = try FileBench()
        bench.options.faults = DiskFaults { $0 == .reserve ? EOPNOTSUPP : 0 }
        let storage = try bench.open()
        let error = #expect(throws: DiskFileError.self) {
            try storage.prepare(bench.geometry, anew: true)
        }
        #expect(error?.description.contains("does not reserve room") == true)
    }

    @Test(arguments: [(DiskFaults.Step.write, ENOSPC), (.synchronize, EDQUOT), (.reserve, ENOSPC)])
    func whatCannotBeReservedIsGivenBack(_ step: DiskFaults.Step, _ code: CInt) throws {
        let bench = try FileBench()
        bench.options.faults = DiskFaults { $0 == step ? code : 0 }
        let storage = try bench.open()
        let needed = bench.geometry.fileBytes
        #expect(
            throws: DiskFileError.noRoom(path: bench.path, neededBytes: needed, missingBytes: 0)
        ) { try storage.prepare(bench.geometry, anew: true) }
        #expect(status(bench.path).st_size == 0 && status(bench.path).st_blocks == 0)
    }

    @Test func aFullDiskIsToldWithWhatIsMissing() throws {
        guard let disk = try SmallDisk.inMemory(megabytes: 2) else { return }
        let bench = try FileBench.large(segmentCount: 4)
        let path = disk.path + "/shard-0.tier"
        let storage = try FileStorage(path)
        let error = #expect(throws: DiskFileError.self) {
            try storage.prepare(bench.geometry, anew: true)
        }
        let missing = bench.geometry.fileBytes - 2 << 20
        #expect(
            error
                == .noRoom(
                    path: path, neededBytes: bench.geometry.fileBytes, missingBytes: missing))
        #expect(error?.description.contains("needs 6 MiB and 4 MiB are missing there") == true)
        let small = try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 8_192, segmentBytes: 4_096, segmentCount: 3))
        try storage.prepare(small, anew: true)
        storage.close()
        // What the file has already counts as room for it.
        let again = try FileStorage(path)
        let most = try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 8_192, segmentBytes: 4_096, segmentCount: 507))
        try again.prepare(most, anew: true)
        #expect(status(path).st_blocks * 512 == 2 << 20)
        again.close()
    }

    @Test func aDiskThatTakesNoWritesIsNamed() throws {
        guard let disk = try SmallDisk.inMemory(megabytes: 2), try disk.remountReadOnly()
        else { return }
        let error = #expect(throws: DiskFileError.self) {
            try FileStorage(disk.path + "/tier/shard-0.tier")
        }
        #expect(error?.description.contains("mount that file system for writing") == true)
    }
}
