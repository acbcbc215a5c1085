import CacheDisk
import CacheModel
import Foundation
import Testing

@testable import Storage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct TierReaderTests {
    /// A tier with a thousand entries, a hundred of them removed.
    private static func fill(_ bench: FileBench) throws -> TierOnFile {
        let tier = try TierOnFile(bench.path, bench.geometry)
        for number in 0..<1_000 {
            let cause = tier.set("key \(number)", "value \(number)")
            #expect(cause == nil)
            tier.turn()
        }
        for number in 0..<100 { tier.remove("key \(number)") }
        return tier
    }

    private static func inspect(_ path: String) throws -> (TierFacts, [InspectedRecord]) {
        let reader = try TierReader(path)
        var plan = try reader.plan()
        plan.lists = true
        var records: [InspectedRecord] = []
        let facts = try reader.inspect(plan) { found, _ in records += found }
        return (facts, records)
    }

    private static func failure(_ path: String) -> TierReaderError? {
        do throws(TierReaderError) {
            _ = try TierReader(path).plan()
            return nil
        } catch {
            return error
        }
    }

    @Test func aTierOnDiskIsToldWithoutAWrite() throws {
        let bench = try FileBench.large(segmentCount: 4)
        try Self.fill(bench).close()
        let before = try bench.bytes(0..<bench.geometry.fileBytes)
        #expect(chmod(bench.path, 0o400) == 0)
        let (facts, records) = try Self.inspect(bench.path)
        #expect(facts.verdict == .recovers(entryCount: 900))
        #expect(facts.damageCount == 0 && facts.total.live == 900)
        #expect(facts.total.tombstones == 100 && records.count == 1_100)
        let after = try bench.bytes(0..<bench.geometry.fileBytes)
        #expect(before == after)
        #expect(try !TierReader(bench.path).isInUse)
    }

    /// It is not locked meanwhile: a node that begins is not kept from its tier.
    @Test func aTierInUseIsToldAndANodeMayBegin() throws {
        let bench = try FileBench.large(segmentCount: 4)
        let tier = try Self.fill(bench)
        let reader = try TierReader(bench.path)
        #expect(reader.isInUse)
        let (facts, _) = try Self.inspect(bench.path)
        #expect(facts.verdict == .recovers(entryCount: 900), "as after a kill now")
        try tier.close()
        #expect(!reader.isInUse)
        let next = try TierOnFile(bench.path, bench.geometry)
        #expect(next.cause == nil && reader.isInUse)
        try next.close()
    }

    @Test func aDirectoryIsTheTiersInItByShard() throws {
        let bench = try FileBench()
        let names = [
            "shard-10.tier", "shard-2.tier", "shard-x.tier", "shard-.tier", "shard-01.tier",
            "shard-3.tier.old", "cluster.yaml",
        ]
        for name in names {
            let isMade = FileManager.default.createFile(
                atPath: "\(bench.directory)/\(name)", contents: nil)
            #expect(isMade)
        }
        let directory = bench.directory
        let found = try TierDirectory.tiers(at: directory + "/")
        #expect(found == ["\(directory)/shard-2.tier", "\(directory)/shard-10.tier"])
        #expect(try TierDirectory.tiers(at: found[0]) == [found[0]])
        #expect(try TierDirectory.tiers(at: "/no/such") == ["/no/such"])
        let empty = directory + "/empty"
        try FileManager.default.createDirectory(
            atPath: empty, withIntermediateDirectories: true)
        #expect(throws: TierReaderError.noTiers(directory: empty)) {
            try TierDirectory.tiers(at: empty)
        }
    }

    @Test func whatIsNoTierIsToldApart() throws {
        let bench = try FileBench.large(segmentCount: 4)
        try Self.fill(bench).close()
        let path = bench.path
        #expect(Self.failure(path) == nil)
        #expect(Self.failure("/no/such") == .missing(path: "/no/such"))
        #expect(Self.failure("/dev/null") == .notAFile(path: "/dev/null"))
        #expect(Self.failure(bench.directory) == .notAFile(path: bench.directory))
        let size = bench.geometry.fileBytes
        try bench.cut(to: size - 1)
        let cut = InspectionFailure.wrongSize(foundBytes: size - 1, expectedBytes: size)
        #expect(Self.failure(path) == .unfit(path: path, cut))
        #expect(Self.failure(path)?.isDamage == true)
        try bench.cut(to: 0)
        #expect(Self.failure(path) == .unfit(path: path, .empty))
        #expect(Self.failure(path)?.isDamage == false)
    }

    @Test func aFileThatMayNotBeReadIsTold() {
        #expect(TierReaderError(EACCES, "a") == .forbidden(path: "a"))
        #expect(TierReaderError(ENOTDIR, "a") == .missing(path: "a"))
        #expect(TierReaderError(EIO, "a").description.contains("Input/output error"))
        let errors: [TierReaderError] = [
            .missing(path: "a"), .forbidden(path: "a"), .notAFile(path: "a"),
            .noTiers(directory: "a"), .unreadable(path: "a", "b"), .unfit(path: "a", .noTier),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { $0.description.hasPrefix("a ") })
    }
}
