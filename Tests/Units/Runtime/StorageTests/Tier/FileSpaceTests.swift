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

/// Space that a tier's file gives back to its file system, and gets again.
@Suite struct FileSpaceTests {
    private static func takenBytes(_ path: String) -> Int {
        var found = stat()
        #expect(stat(path, &found) == 0)
        return Int(found.st_blocks) * 512
    }

    private static func sizeBytes(_ path: String) -> Int {
        var found = stat()
        #expect(stat(path, &found) == 0)
        return Int(found.st_size)
    }

    @Test func releasedRangesReadAsZerosAndReturnTheirSpace() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let storage = try bench.make()
        guard storage.canRelease else { return }
        let range = bench.geometry.releasable(1)
        let from = range.lowerBound - DiskGeometry.keptBytes
        let pattern = FileBench.pattern(1, bench.geometry.segmentBytes)
        _ = try bench.run(
            [.write(DiskTicket(1), .owned(pattern), at: from), .synchronize(DiskTicket(2))],
            on: storage)
        let before = Self.takenBytes(bench.path)
        let released = try bench.run(
            [.release(DiskTicket(3), byteCount: range.count, at: range.lowerBound)], on: storage)
        #expect(released[0].outcome.isDone)
        #expect(Self.takenBytes(bench.path) <= before - range.count + 64 << 10)
        let kept = try bench.read(DiskGeometry.keptBytes, at: from, of: storage).bytes
        #expect(kept == Array(pattern.prefix(DiskGeometry.keptBytes)))
        let zeros = try bench.read(range.count, at: range.lowerBound, of: storage).bytes
        #expect(zeros == [UInt8](repeating: 0, count: range.count))
        let reserved = try bench.run(
            [.reserve(DiskTicket(4), byteCount: range.count, at: range.lowerBound)], on: storage)
        #expect(reserved[0].outcome.isDone && Self.takenBytes(bench.path) >= before - 64 << 10)
        #expect(Self.sizeBytes(bench.path) == bench.geometry.fileBytes)
        storage.close()
    }

    @Test func whatTheFileSystemRefusesIsTold() throws {
        let bench = try FileBench.large(segmentCount: 4)
        bench.options.faults = DiskFaults { $0 == .release ? EOPNOTSUPP : 0 }
        let storage = try bench.make()
        #expect(!storage.canRelease)
        let range = bench.geometry.releasable(2)
        let answer = try bench.run(
            [.release(DiskTicket(1), byteCount: range.count, at: range.lowerBound)], on: storage)
        #expect(answer[0].outcome.failure != nil)
        storage.close()
    }

    @Test func anUnreservableRangeHasNoRoom() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let isFull = Guarded(false)
        bench.options.faults = DiskFaults { step in
            step == .reserve && isFull.withLock { $0 } ? ENOSPC : 0
        }
        let storage = try bench.make()
        isFull.withLock { $0 = true }
        let range = bench.geometry.releasable(2)
        let answer = try bench.run(
            [.reserve(DiskTicket(1), byteCount: range.count, at: range.lowerBound)], on: storage)
        #expect(answer[0].outcome.failure == .noRoom)
        storage.close()
    }

    @Test func aNewFileHasItsFullSizeAndReservesSomeSegments() throws {
        let bench = try FileBench.large(segmentCount: 12)
        let geometry = bench.geometry
        let storage = try bench.open()
        guard storage.canRelease else { return }
        try storage.prepare(geometry, anew: true, segments: 5)
        #expect(Self.sizeBytes(bench.path) == geometry.fileBytes)
        let taken = Self.takenBytes(bench.path)
        #expect((geometry.roomBytes(5)..<geometry.roomBytes(6)).contains(taken))
        storage.close()
        // A start that keeps holes leaves them; one that does not reserves everything.
        let second = try bench.open()
        try second.prepare(geometry, anew: false, segments: 12)
        #expect(Self.takenBytes(bench.path) == taken)
        second.close()
        let third = try bench.open()
        try third.prepare(geometry, anew: false)
        #expect(Self.takenBytes(bench.path) >= geometry.fileBytes)
        third.close()
    }

    @Test func theSpaceOfAllShardsIsCounted() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let storage = try bench.make()
        let directory = bench.directory + "/tier"
        #expect(TierDirectory.roomBytes(in: directory, shardCount: 3) == 0)
        let taken = Self.takenBytes(bench.path)
        #expect(TierDirectory.roomBytes(in: directory, shardCount: 4) == taken)
        #expect(TierDirectory.roomBytes(in: directory + "/none", shardCount: 4) == 0)
        storage.close()
    }

    @Test func theFreeSpaceIsTheFileSystemsOrWhatATestSays() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let storage = try bench.make()
        #expect(storage.freeBytes.map { $0 >= 0 } == true)
        storage.close()
        bench.options.freeBytes = { 77 }
        let told = try bench.open()
        #expect(told.freeBytes == 77)
        told.close()
    }

    /// The call may take what is free before it fails.
    @Test func aWholeReserveThatDoesNotFitTakesNothing() throws {
        guard let disk = try SmallDisk.inMemory(megabytes: 12) else { return }
        let bench = try FileBench.large(segmentCount: 16)
        let path = disk.path + "/shard-0.tier"
        let first = try FileStorage(path)
        guard first.canRelease else { return }
        try first.prepare(bench.geometry, anew: true, segments: 5)
        first.close()
        let isCalled = Guarded(false)
        var options = FileStorageOptions()
        options.faults = DiskFaults { step in
            if step == .reserve { isCalled.withLock { $0 = true } }
            return 0
        }
        let second = try FileStorage(path, options: options)
        #expect(throws: DiskFileError.self) { try second.prepare(bench.geometry, anew: false) }
        #expect(isCalled.withLock { $0 } == false)
        second.close()
    }

    /// Some file systems wait for others before they tell it.
    @Test func aMeasurementThatWaitsDelaysNoCallAndIsMadeOnce() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let gate = Promise<Void>()
        let count = Guarded(0)
        bench.options.freeBytes = {
            gate.wait()
            count.withLock { $0 += 1 }
            return 77
        }
        let storage = try bench.make()
        for _ in 0..<5 { storage.measureFreeBytes() }
        #expect(storage.takeMeasuredBytes() == nil)
        gate.fulfil(())
        var measured: Int?
        try waitUntil("it is measured") {
            measured = measured ?? storage.takeMeasuredBytes()
            return measured != nil
        }
        #expect(measured == 77 && storage.takeMeasuredBytes() == nil)
        storage.close()
        #expect(count.withLock { $0 } == 1)
    }

    /// A real file system: another file takes what is free, and goes again.
    @Test func aTierLeavesSpaceToOtherFilesAndTakesItBack() throws {
        guard let disk = try SmallDisk.inMemory(megabytes: 24) else { return }
        let bench = try FileBench.large(segmentCount: 16)
        let rule = DiskSpaceRule(leftFreeBytes: 3 << 20, shardCount: 1)
        let path = disk.path + "/shard-0.tier"
        let tier = try TierOnFile(path, bench.geometry, rule: rule)
        #expect(tier.tier.isWhole == true)
        try Self.store(0..<2_000, in: tier)
        let other = disk.path + "/other"
        try Data(count: 5 << 20).write(to: URL(fileURLWithPath: other))
        try Self.measure(tier) { ($0.storage.freeBytes ?? 0) >= 3 << 20 }
        #expect(!tier.tier.isWhole && tier.tier.roomBytes >= bench.geometry.roomBytes(4))
        try Self.store(2_000..<6_000, in: tier)
        #expect(try tier.get("key 5999") == Self.value(5_999))
        try tier.close()
        let second = try TierOnFile(path, bench.geometry, rule: rule)
        #expect(second.cause == nil && !second.tier.isWhole)
        #expect(try second.get("key 5999") == Self.value(5_999))
        try FileManager.default.removeItem(atPath: other)
        try Self.measure(second) { $0.tier.isWhole }
        try Self.store(6_000..<9_000, in: second)
        #expect(try second.get("key 8999") == Self.value(8_999))
        try second.close()
    }

    @Test func aTierBeginsWithWhatItsDiskHasRoomFor() throws {
        guard let disk = try SmallDisk.inMemory(megabytes: 12) else { return }
        let bench = try FileBench.large(segmentCount: 16)
        let path = disk.path + "/shard-0.tier"
        let rule = DiskSpaceRule(leftFreeBytes: 2 << 20, shardCount: 1)
        let tier = try TierOnFile(path, bench.geometry, rule: rule)
        #expect(!tier.tier.isWhole && (tier.storage.freeBytes ?? 0) >= 2 << 20)
        try Self.store(0..<6_000, in: tier)
        #expect(try tier.get("key 5999") == Self.value(5_999))
        try tier.close()
    }

    private static func value(_ number: Int) -> String {
        "\(number)" + String(repeating: "v", count: 2_000)
    }

    private static func store(_ numbers: Range<Int>, in tier: TierOnFile) throws {
        for number in numbers {
            // The disk may be slower than this.
            while tier.set("key \(number)", value(number)) != nil { try tier.settle() }
            tier.turn()
        }
    }

    /// Measures, and lets the tier act, until something is so.
    private static func measure(
        _ tier: TierOnFile, until isDone: (TierOnFile) -> Bool
    ) throws {
        for number in 0..<200 where !isDone(tier) {
            tier.tier.noteFreeBytes(tier.storage.freeBytes ?? .max)
            try tier.settle()
            // The log has to get to the places that lie behind it.
            if number > 8 { try store(20_000 + 400 * number..<20_400 + 400 * number, in: tier) }
        }
        #expect(isDone(tier))
    }
}
