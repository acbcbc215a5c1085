import CacheModel
import Testing

@testable import CacheDisk

@Suite struct LastingFloorsTests {
    static let images = Namespace("images") ?? .default
    static let bytesMax = 64 << 10 - Checkpoint.headBytes

    private var floors = LastingFloors(seed: 7, bytesMax: bytesMax)

    private func verdict(
        _ namespace: String = "", _ key: String = "key", tags: [String] = [], fill: UInt64 = 4
    ) -> LastingFloors.Verdict {
        FloorsSubject(namespace: namespace, key: key, tags: tags, fill: fill).verdict(under: floors)
    }

    private static func tag(
        _ name: String, in namespace: Namespace = .default
    ) throws -> Scope.Target {
        .tag(try #require(Tag(name)), in: namespace)
    }

    private static func prefix(
        _ text: String, in namespace: Namespace = .default
    ) -> Scope.Target {
        .prefix(Array(text.utf8), in: namespace)
    }

    private static func rooms(_ count: Int) throws -> [Namespace] {
        try (0..<count).map { try #require(Namespace("room-\($0)")) }
    }

    // MARK: Each scope

    @Test func nothingIsHiddenBeforeAFloorRises() {
        #expect(verdict(tags: ["news"], fill: 0) == .clear)
    }

    @Test mutating func aFloorHidesWhatWasFilledBelowItAndNothingElse() {
        floors.raise(Scope(.everything), .hard, to: 5)
        #expect(verdict(fill: 4) == .hard)
        #expect(verdict(fill: 5) == .clear)
        #expect(verdict("images", "x", fill: 4) == .hard)
    }

    @Test mutating func aTagIsOneOfItsNamespace() throws {
        floors.raise(Scope(try Self.tag("news", in: Self.images)), .hard, to: 5)
        #expect(verdict("images", tags: ["sports", "news"]) == .hard)
        #expect(verdict("images", tags: ["sports"]) == .clear)
        #expect(verdict("images") == .clear)
        #expect(verdict("", tags: ["news"]) == .clear)
        #expect(verdict("image", tags: ["news"]) == .clear)
    }

    @Test mutating func aPrefixHidesTheKeysThatBeginWithIt() {
        floors.raise(Scope(Self.prefix("user:1", in: Self.images)), .hard, to: 5)
        for key in ["user:1", "user:1:name", "user:17"] {
            #expect(verdict("images", key) == .hard, "\(key)")
        }
        for key in ["user:", "user:2", "User:1", "u"] {
            #expect(verdict("images", key) == .clear, "\(key)")
        }
        #expect(verdict("", "user:1") == .clear)
    }

    @Test mutating func ofPrefixesWithinEachOtherEachHides() {
        for (length, sequence) in [(1, 3), (4, 9), (2, 6), (6, 4)] as [(Int, UInt64)] {
            floors.raise(Scope(Self.prefix(String("abcdefgh".prefix(length)))), .hard, to: sequence)
        }
        for (key, lowest) in [("a", 3), ("ab", 6), ("abc", 6), ("abcd", 9), ("abcdefgh", 9)]
            as [(String, UInt64)]
        {
            #expect(verdict("", key, fill: lowest - 1) == .hard, "\(key)")
            #expect(verdict("", key, fill: lowest) == .clear, "\(key)")
        }
        #expect(verdict("", "b") == .clear)
    }

    @Test mutating func aNamespaceFloorHidesOnlyThatNamespace() {
        floors.raise(Scope(.namespace(Self.images)), .hard, to: 5)
        #expect(verdict("images") == .hard)
        #expect(verdict("images2") == .clear)
        #expect(verdict("image", "s") == .clear)
        #expect(verdict() == .clear)
    }

    @Test mutating func theDefaultNamespaceIsOneWhetherItIsSpelledOrNot() throws {
        floors.raise(Scope(.namespace(.default)), .hard, to: 2)
        floors.raise(Scope(Self.prefix("k")), .hard, to: 3)
        floors.raise(Scope(try Self.tag("news")), .hard, to: 4)
        let subject = FloorsSubject(key: "zone")
        floors.raise(
            Scope(.namespace(.default), hashRange: subject.route...subject.route), .hard, to: 5)
        for name in ["", "default"] {
            #expect(verdict(name, "z", fill: 1) == .hard && verdict(name, "z", fill: 2) == .clear)
            #expect(verdict(name, "k", fill: 2) == .hard && verdict(name, "k", fill: 3) == .clear)
            #expect(verdict(name, "z", tags: ["news"], fill: 3) == .hard)
            #expect(verdict(name, "zone", fill: 4) == .hard)
        }
        #expect(verdict("images", "k", tags: ["news"], fill: 0) == .clear)
    }

    @Test mutating func aKeyHasNoFloor() throws {
        let key = try #require(CacheKey("key"))
        floors.raise(Scope(.key(key, in: .default)), .hard, to: 5)
        #expect(verdict() == .clear)
        #expect(floors.encoded() == LastingFloors(seed: 7, bytesMax: Self.bytesMax).encoded())
    }

    // MARK: Strengths

    @Test mutating func hardOutweighsSoftWhicheverCameFirst() throws {
        let tag = try Self.tag("news")
        floors.raise(Scope(tag), .hard, to: 5)
        floors.raise(Scope(tag), .soft, to: 9)
        floors.raise(Scope(Self.prefix("key")), .soft, to: 11)
        floors.raise(Scope(.namespace(Self.images)), .soft, to: 3)
        floors.raise(Scope(.everything), .hard, to: 2)
        #expect(verdict(tags: ["news"], fill: 4) == .hard)
        #expect(verdict(tags: ["news"], fill: 5) == .soft)
        #expect(verdict(tags: ["news"], fill: 10) == .soft)
        #expect(verdict(tags: ["news"], fill: 11) == .clear)
        #expect(verdict("images", fill: 1) == .hard)
        #expect(verdict("images", fill: 2) == .soft)
    }

    @Test mutating func aFloorNeverFalls() throws {
        let range: ClosedRange<UInt64> = 0...(.max - 1)
        let targets = [
            try Self.tag("news"), Self.prefix("key"), .namespace(.default), .everything,
        ]
        for target in targets {
            for hashRange in [nil, range] {
                floors.removeAll()
                floors.raise(Scope(target, hashRange: hashRange), .hard, to: 9)
                floors.raise(Scope(target, hashRange: hashRange), .hard, to: 3)
                floors.raise(Scope(target, hashRange: hashRange), .soft, to: 5)
                #expect(verdict(tags: ["news"], fill: 8) == .hard)
                #expect(verdict(tags: ["news"], fill: 9) == .clear)
            }
        }
    }

    @Test mutating func theGreatestPositionIsKept() throws {
        let greatest = SequenceNumber.max.rawValue
        floors.raise(Scope(try Self.tag("news")), .soft, to: greatest)
        floors.raise(Scope(Self.prefix("k")), .hard, to: greatest - 1)
        let bytes = floors.encoded()
        floors = try #require(
            LastingFloors(decoding: bytes, seed: 7, bytesMax: Self.bytesMax))
        #expect(verdict("", "a", tags: ["news"], fill: greatest - 1) == .soft)
        #expect(verdict("", "a", tags: ["news"], fill: greatest) == .clear)
        #expect(verdict(fill: greatest - 2) == .hard)
        #expect(verdict(fill: greatest - 1) == .clear)
    }

    // MARK: Ranges

    @Test mutating func aRangeHidesTheHashesAtBothItsEnds() throws {
        let subject = FloorsSubject(key: "key", tags: ["news"], fill: 4)
        let hash = subject.route
        let targets = [
            try Self.tag("news"), Self.prefix("ke"), .namespace(.default), .everything,
        ]
        for target in targets {
            let cases: [(ClosedRange<UInt64>, LastingFloors.Verdict)] = [
                (hash...hash, .hard), (0...hash, .hard), (hash...UInt64.max, .hard),
                (0...hash - 1, .clear), (hash + 1...UInt64.max, .clear),
            ]
            for (range, verdict) in cases {
                floors.removeAll()
                floors.raise(Scope(target, hashRange: range), .hard, to: 5)
                let found = subject.verdict(under: floors)
                #expect(found == verdict, "\(target) \(range)")
            }
        }
    }

    @Test mutating func aRangeOfAnotherScopeHidesNothing() throws {
        let all: ClosedRange<UInt64> = 1...UInt64.max
        let targets = [
            try Self.tag("news", in: Self.images), try Self.tag("sports"),
            Self.prefix("key", in: Self.images), Self.prefix("kez"), .namespace(Self.images),
        ]
        for target in targets {
            floors.raise(Scope(target, hashRange: all), .hard, to: 5)
        }
        #expect(verdict(tags: ["news"]) == .clear)
        #expect(verdict("images") == .hard)
    }

    @Test mutating func allSlicesOfAPacingHideAsTheWholeDoes() throws {
        let tag = try Self.tag("news")
        for slice in 0..<256 as Range<UInt64> {
            let range = slice << 56...(slice << 56 | (1 << 56 - 1))
            floors.raise(Scope(tag, hashRange: range), .hard, to: 1_000 + slice)
        }
        for number in 0..<500 {
            let subject = FloorsSubject(key: "k\(number)", tags: ["news"], fill: 999)
            let slice = subject.route >> 56
            var above = subject
            above.fill = 1_000 + slice
            let (below, clear) = (subject.verdict(under: floors), above.verdict(under: floors))
            #expect(below == .hard && clear == .clear)
        }
    }

    @Test mutating func neighboursOfOnePositionAreOneRange() throws {
        let tag = try Self.tag("news")
        for range in [0...9, 20...UInt64.max, 10...19] as [ClosedRange<UInt64>] {
            floors.raise(Scope(tag, hashRange: range), .hard, to: 5)
        }
        #expect(floors.ranges.rangeCount == 1)
        floors.raise(Scope(tag, hashRange: 5...14), .soft, to: 6)
        #expect(floors.ranges.rangeCount == 3)
        let pieces = floors.ranges.list.values[0].pieces.map(\.range)
        #expect(pieces == [0...4, 5...14, 15...UInt64.max])
    }

    @Test mutating func aRangeOfAllHashesIsTheWholeScope() throws {
        floors.raise(Scope(try Self.tag("news"), hashRange: 0...UInt64.max), .hard, to: 5)
        #expect(floors.ranges.rangeCount == 0)
        #expect(verdict(tags: ["news"]) == .hard)
    }

    // MARK: Folding

    @Test mutating func anOverflowOfPrefixesHidesTheOldestNamespacesOnly() throws {
        let rooms = try Self.rooms(4)
        var sequence: UInt64 = 0
        var isFolded = false
        while !isFolded, sequence < 10_000 {
            sequence += 1
            let room = rooms[Int(sequence / 64) % 4]
            floors.raise(Scope(Self.prefix("p\(sequence)", in: room)), .hard, to: sequence)
            isFolded = floors.namespaces.list.count > 0
        }
        let folded = floors.namespaces.list.values.map(\.hard).max() ?? 0
        let kept = floors.prefixes.list.values.map(\.hard).min() ?? 0
        #expect(folded > 0 && folded < kept && folded <= sequence / 8)
        #expect(floors.everything == FloorPair())
        // What was folded still hides, and what was not hides nothing else.
        #expect(verdict("room-0", "p1", fill: 0) == .hard)
        #expect(verdict("room-0", "other", fill: 0) == .hard)
        #expect(verdict("room-0", "other", fill: folded) == .clear)
        #expect(verdict("room-3", "other", fill: 0) == .clear)
        let last = rooms[Int(sequence / 64) % 4].name
        #expect(verdict(last, "p\(sequence)", fill: sequence - 1) == .hard)
    }

    @Test mutating func anOverflowOfNamespacesHidesEverythingBelowTheLowest() throws {
        let rooms = try Self.rooms(400)
        // Names of one length: a shorter one may find room where a longer one did not.
        for (number, room) in rooms.enumerated().dropFirst(100).reversed() {
            floors.raise(Scope(.namespace(room)), .soft, to: UInt64(number + 1))
        }
        let kept = floors.namespaces.list.count
        let lowest = UInt64(400 - kept)
        #expect(kept < 300 && kept > 100)
        #expect(floors.everything == FloorPair(soft: lowest))
        #expect(verdict("another", fill: lowest - 1) == .soft)
        #expect(verdict("another", fill: lowest) == .clear)
        #expect(verdict("room-399", fill: 399) == .soft)
    }

    @Test mutating func thereAreAtMostSoManyNamespaces() throws {
        floors = LastingFloors(seed: 7, bytesMax: 4 << 20)
        for (number, room) in try Self.rooms(1_025).enumerated() {
            floors.raise(Scope(.namespace(room)), .hard, to: UInt64(number + 1))
        }
        #expect(floors.namespaces.list.count == 1_024)
        #expect(floors.everything == FloorPair(hard: 1))
    }

    @Test mutating func anOverflowOfRangesHidesTheirWholeScopes() throws {
        let targets = [
            try Self.tag("news"), Self.prefix("ke"), .namespace(Self.images), .everything,
        ]
        for (number, target) in targets.enumerated() {
            floors.removeAll()
            var slice: UInt64 = 0
            let (tag, strength) = (
                try Self.tag("filler"),
                number % 2 == 0 ? InvalidationRecord.Strength.hard : .soft
            )
            // One hash that nobody has, and after it a tag's slices until there is no room.
            floors.raise(Scope(target, hashRange: 0...0), strength, to: 5)
            while floors.ranges.rangeCount > slice, slice < 10_000 {
                slice += 1
                floors.raise(
                    Scope(tag, hashRange: slice << 40...(slice << 40) + 9), .hard, to: 5 + slice)
            }
            #expect(floors.ranges.isWithinBounds && slice < 10_000)
            let found = [
                verdict(tags: ["news"]), verdict("", "keys"), verdict("images"), verdict("x", "y"),
            ]
            let hidden = strength == .hard ? LastingFloors.Verdict.hard : .soft
            for (index, found) in found.enumerated() {
                let isCovered = index == number || number == 3 || (index, number) == (0, 1)
                #expect(found == (isCovered ? hidden : .clear), "\(target) \(index)")
            }
            let clear = verdict("images", "keys", tags: ["news"], fill: 5)
            #expect(clear == .clear)
        }
    }

    @Test mutating func aPrefixTooLongToBeKeptIsCut() throws {
        let long = String(repeating: "x", count: 4_096)
        floors.raise(Scope(Self.prefix(long)), .hard, to: 5)
        floors.raise(
            Scope(Self.prefix(long, in: Self.images), hashRange: 1...UInt64.max), .hard, to: 5)
        #expect(verdict("", long) == .hard && verdict("images", long) == .hard)
        #expect(verdict("", "xxx") == .clear && verdict("images", "xxx") == .clear)
        #expect(floors.prefixes.isWithinBounds && floors.prefixes.list.count == 1)
    }

    // MARK: Being done with them

    @Test mutating func afterAResetNothingIsHidden() throws {
        let fresh = floors
        for target in [
            try Self.tag("news"), Self.prefix("k"), .namespace(.default), .everything,
        ] {
            floors.raise(Scope(target), .hard, to: 5)
            floors.raise(Scope(target, hashRange: 1...UInt64.max), .soft, to: 6)
        }
        #expect(verdict(tags: ["news"]) == .hard)
        floors.removeAll()
        #expect(verdict(tags: ["news"], fill: 0) == .clear)
        #expect(floors.encoded() == fresh.encoded())
        let bytes = floors.memoryBytes
        #expect(bytes == 0)
    }

    @Test mutating func whatLiesBelowEverythingNeedsNoRoom() {
        floors.raise(Scope(Self.prefix("k")), .hard, to: 5)
        floors.raise(Scope(.namespace(Self.images), hashRange: 1...2), .soft, to: 6)
        floors.raise(Scope(.everything), .soft, to: 7)
        #expect(floors.prefixes.list.count == 1)
        floors.raise(Scope(.everything), .hard, to: 6)
        #expect(floors.prefixes.list.count == 1)
        floors.raise(Scope(.everything), .hard, to: 7)
        #expect(floors.prefixes.list.isEmpty && floors.ranges.list.isEmpty)
        #expect(verdict(fill: 6) == .hard && verdict(fill: 7) == .clear)
    }

    @Test mutating func softBucketsTakeNoMemoryUntilOneRises() throws {
        floors.raise(Scope(try Self.tag("news")), .hard, to: 5)
        let table = floors.shares.bucketCount * 6
        let hard = floors.memoryBytes
        #expect(hard == table)
        floors.raise(Scope(try Self.tag("news")), .soft, to: 6)
        let both = floors.memoryBytes
        #expect(both == 2 * table)
    }
}
