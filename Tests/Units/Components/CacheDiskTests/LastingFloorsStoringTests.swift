import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

@Suite struct LastingFloorsStoringTests {
    private static let bytesMax = 1_024

    /// Floors of every kind, by chance.
    private static func floors(
        seed: UInt64, rises: Int = 60, bytesMax: Int = bytesMax
    ) throws -> LastingFloors {
        var chance = FloorsChance(seed: seed)
        var floors = LastingFloors(seed: seed, bytesMax: bytesMax)
        for number in 1...rises { floors.raise(try chance.rise(at: UInt64(number))) }
        return floors
    }

    private static func decoded(
        _ bytes: [UInt8], seed: UInt64 = 1, bytesMax: Int = bytesMax
    ) -> LastingFloors? {
        LastingFloors(decoding: bytes, seed: seed, bytesMax: bytesMax)
    }

    /// The format does not change by accident: the bytes are docs/disk-format.md's.
    @Test func theBytesOfFloorsAreThoseOfTheFormat() throws {
        var floors = LastingFloors(seed: 1, bytesMax: 1_024)
        let tag = try #require(Tag("news"))
        let images = try #require(Namespace("ab"))
        let bucket = UInt8(floors.tags.bucket(of: tag, in: images))
        floors.raise(Scope(.everything), .hard, to: 0x0102_0304_0506)
        floors.raise(Scope(.everything), .soft, to: 0x0708)
        floors.raise(Scope(.tag(tag, in: images)), .hard, to: 9)
        floors.raise(Scope(.namespace(.default)), .hard, to: 10)
        floors.raise(Scope(.prefix([0x78, 0x79, 0x7A], in: images)), .soft, to: 11)
        floors.raise(Scope(.namespace(images), hashRange: 1...2), .hard, to: 12)
        floors.raise(Scope(.tag(tag, in: images), hashRange: 3...UInt64.max), .soft, to: 13)
        var expected = Array("MARTDFL1".utf8)
        expected += [64, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        expected += [1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
        expected += [6, 5, 4, 3, 2, 1, 8, 7, 0, 0, 0, 0]
        expected += [bucket, 0, 0, 0, 9, 0, 0, 0, 0, 0]
        expected += [1, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        expected += [6, 0, 2, 0x61, 0x62, 0x78, 0x79, 0x7A]
        expected += [0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0]
        expected += [3, 0, 2, 0x61, 0x62, 1, 0, 0, 0]
        expected += [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
        expected += [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        expected += [5, 0, 255, 0, 0, 0, bucket, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
        expected += [UInt8](repeating: 255, count: 8)
        expected += [0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0]
        #expect(floors.encoded() == expected)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func whatIsReadSaysWhatWasWritten(seed: UInt64) throws {
        for (rises, bytesMax) in [(3, 1_024), (300, 1_024), (300, 65_484), (3_000, 4_096)] {
            let floors = try Self.floors(seed: seed, rises: rises, bytesMax: bytesMax)
            let bytes = floors.encoded()
            let read = try #require(Self.decoded(bytes, seed: seed, bytesMax: bytesMax))
            #expect(read.encoded() == bytes)
            #expect(read.highest == floors.highest)
            var chance = FloorsChance(seed: seed + 100)
            for _ in 0..<300 {
                let subject = chance.subject(fillMax: rises)
                let (before, after) = (subject.verdict(under: floors), subject.verdict(under: read))
                #expect(before == after)
            }
        }
    }

    @Test func readFloorsRiseAndFoldOn() throws {
        let bytesMax = 2_048
        var floors = try Self.floors(seed: 3, rises: 100, bytesMax: bytesMax)
        var read = try #require(Self.decoded(floors.encoded(), seed: 3, bytesMax: bytesMax))
        var chance = FloorsChance(seed: 4)
        for number in 101...600 as ClosedRange<UInt64> {
            let rise = try chance.rise(at: number)
            floors.raise(rise)
            read.raise(rise)
        }
        #expect(floors.encoded() == read.encoded())
    }

    @Test func manyBucketsAreWrittenOneAfterTheOtherAndFewByNumber() throws {
        let bytesMax = 65_484
        var floors = LastingFloors(seed: 1, bytesMax: bytesMax)
        let count = floors.shares.bucketCount
        #expect(count == 4_096)
        for bucket in 0..<count {
            floors.tags.raise(bucket, to: FloorPair(hard: 9, soft: bucket < 10 ? 3 : 0))
            guard bucket % 512 == 511 || bucket == 2_456 || bucket == 2_457 else { continue }
            let bytes = floors.encoded()
            #expect(bytes.count == 48 + 100 + min((bucket + 1) * 10, count * 6))
            let read = try #require(Self.decoded(bytes, bytesMax: bytesMax))
            #expect(read.tags.hard == floors.tags.hard && read.tags.soft == floors.tags.soft)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func everyCutIsNoticed(seed: UInt64) throws {
        let bytes = try Self.floors(seed: seed).encoded()
        for count in 0..<bytes.count {
            let cut = Self.decoded(Array(bytes.prefix(count)), seed: seed)
            #expect(cut == nil, "\(count) of \(bytes.count)")
        }
        let longer = Self.decoded(bytes + [0], seed: seed)
        #expect(longer == nil)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func noFlippedBitTrapsOrBreaksABound(seed: UInt64) throws {
        let bytes = try Self.floors(seed: seed).encoded()
        var chance = FloorsChance(seed: seed)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= UInt8(1 << (bit % 8))
            guard var read = Self.decoded(damaged, seed: seed) else { continue }
            let verdict = chance.subject(fillMax: 60).verdict(under: read)
            #expect(verdict.weight >= 0)
            read.raise(try chance.rise(at: 61))
            let count = read.encoded().count
            #expect(count <= Self.bytesMax)
        }
    }

    @Test func noBytesByChanceTrap() throws {
        var generator = SeededGenerator(seed: 8)
        let bytes = try Self.floors(seed: 1).encoded()
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0...generator.below(6) {
                let extremes: [UInt8] = [0, 1, 64, 127, 128, 255]
                let offset = 8 + generator.below(damaged.count - 8)
                damaged[offset] = extremes[generator.below(extremes.count)]
            }
            if generator.below(2) == 0 { damaged.removeLast(generator.below(40)) }
            guard let read = Self.decoded(damaged) else { continue }
            let count = read.encoded().count
            #expect(count <= Self.bytesMax)
        }
        let nothing = Self.decoded([])
        #expect(nothing == nil)
    }

    @Test func bytesOfAnotherSizeOrFormatAreNotRead() throws {
        var bytes = try Self.floors(seed: 1).encoded()
        let (larger, same) = (Self.decoded(bytes, bytesMax: 4_096), Self.decoded(bytes))
        #expect(larger == nil && same != nil)
        bytes[7] = UInt8(ascii: "2")
        let other = Self.decoded(bytes)
        #expect(other == nil)
    }

    @Test func listsOfMoreThanTheirShareAreNotRead() throws {
        let names = try (0..<8).map { try #require(Namespace("n\($0)")) }
        let scopes = [
            names.map { Scope(.namespace($0)) }, names.map { Scope(.prefix([1], in: $0)) },
            names.map { Scope(.namespace($0), hashRange: 1...2) },
        ]
        for scopes in scopes {
            // As many buckets, and more room for lists.
            var floors = LastingFloors(seed: 1, bytesMax: 1_900)
            for scope in scopes { floors.raise(scope, .hard, to: 5) }
            let bytes = floors.encoded()
            let (larger, smaller) = (Self.decoded(bytes, bytesMax: 1_900), Self.decoded(bytes))
            #expect(floors.everything == FloorPair() && larger != nil && smaller == nil)
        }
    }

    @Test func theLargestTierHasRoomForFourMillionTags() {
        let shares = FloorShares(bytesMax: DiskLimits.checkpointBytesMax - Checkpoint.headBytes)
        #expect(shares.bucketCount == 1 << 22)
        let usual = FloorShares(bytesMax: 4 << 20 - Checkpoint.headBytes)
        #expect(usual.bucketCount == 1 << 18)
        for bytes in stride(from: 1_024, to: 1 << 20, by: 977) {
            let shares = FloorShares(bytesMax: bytes)
            let all = shares.namespaceBytes + shares.prefixBytes + shares.rangeBytes
            let tables = shares.bucketCount * 12
            #expect(all + tables + 48 <= bytes && tables * 10 >= bytes * 3)
            #expect(shares.rangeBytes * 11 >= bytes && shares.prefixBytes * 23 >= bytes)
        }
    }
}
