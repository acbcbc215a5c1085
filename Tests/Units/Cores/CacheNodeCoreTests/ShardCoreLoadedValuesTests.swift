import CacheAccess
import CacheLoading
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Values that were loaded for a request wait for its other loads, and not more of them than it
/// could be answered with.
@Suite struct ShardCoreLoadedValuesTests {
    private static func value(_ byteCount: Int) -> LoadOutcome {
        .value([UInt8](repeating: 118, count: byteCount), LoadedFacts())
    }

    private static func unkept(_ byteCount: Int) -> LoadOutcome {
        var facts = LoadedFacts()
        facts.mayStore = false
        return .value([UInt8](repeating: 118, count: byteCount), facts)
    }

    /// Asks for so many keys, and ends all loads but the last.
    private static func endAllButOne(
        of count: Int, _ options: GetOperation.Options = [], with outcome: LoadOutcome,
        in shard: inout ShardHarness
    ) -> ShardLoad? {
        let frame = shard.getFrame((0..<count).map { "k\($0)" }, options)
        #expect(shard.send(frame).isEmpty)
        var loads = shard.takeLoads()
        #expect(loads.count == count)
        let last = loads.popLast()
        for load in loads { #expect(shard.end(load, outcome).isEmpty) }
        return last
    }

    @Test func aRequestHoldsNoMoreThanItsAnswerHasRoomFor() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.valueBytesMax = 16 << 20 }
        let last = Self.endAllButOne(of: 20, with: Self.value(300_000), in: &shard)
        #expect((900_000...1_000_000).contains(shard.core.waiting.loadedBytes))
        let outcomes = shard.end(last, Self.value(10))
        #expect(outcomes.prefix(3).allSatisfy { $0.status == .hit && $0.value.count == 300_000 })
        #expect(outcomes.last.map { $0.status == .hit && $0.value.count == 10 } == true)
        #expect(outcomes.count { $0.status == .deferred } == 16)
        #expect(shard.core.waiting.loadedBytes == 0)
    }

    @Test func aValueOfSeveralFramesIsNotHeldAndReadFromMemory() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.valueBytesMax = 16 << 20 }
        let last = Self.endAllButOne(of: 2, with: Self.value(2 << 20), in: &shard)
        #expect(shard.core.waiting.loadedBytes == 0)
        let outcomes = shard.end(last, Self.value(10))
        #expect(outcomes.map(\.status) == [.hit, .hit])
        #expect(outcomes[0].fields.whole?.totalBytes == 2 << 20)
        #expect(outcomes[1].value.count == 10)
    }

    @Test func aPrefetchedValueIsNotHeldForItsRequest() {
        var shard = ShardHarness()
        shard.readThrough()
        let last = Self.endAllButOne(of: 3, .prefetch, with: Self.value(1_000), in: &shard)
        #expect(shard.core.waiting.loadedBytes == 0)
        let outcomes = shard.end(last, Self.unkept(1_000))
        #expect(outcomes.map(\.status) == [.hit, .hit, .miss])
    }

    @Test func whatIsNeitherHeldNorKeptIsAskedForAgain() {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.valueBytesMax = 16 << 20 }
        let last = Self.endAllButOne(of: 4, with: Self.unkept(500_000), in: &shard)
        let outcomes = shard.end(last, Self.unkept(10))
        #expect(outcomes.map(\.status) == [.hit, .deferred, .deferred, .hit])
    }

    @Test func onePrincipalHoldsAtMostHalfOfTheLoadedBytes() throws {
        var shard = ShardHarness(memoryBytes: 256 << 20)
        shard.core.setAccess(
            try AccessTable(
                listing: (1...2).map { "k\($0) \(String(repeating: "0", count: 63))\($0) read *" }
                    .joined(separator: "\n")))
        shard.readThrough()
        let half = ShardLimits.loadedBytesMax / 2
        var lasts: [ShardLoad] = []
        for number in 0..<80 {
            let who = PrincipalNumber(rawValue: number < 79 ? 1 : 2)
            let keys = ["a\(number)", "b\(number)"]
            #expect(shard.send(shard.getFrame(keys), of: who).isEmpty)
            let loads = shard.takeLoads()
            #expect(shard.end(loads[0], Self.value(500_000)).isEmpty)
            lasts.append(loads[1])
            #expect(shard.core.waiting.loadedBytes <= half + (number < 79 ? 0 : 500_000))
        }
        #expect(shard.core.waiting.loadedBytes > half)
        for last in lasts {
            let outcomes = shard.end(last, Self.value(400_000))
            #expect(outcomes.map(\.status) == [.hit, .hit], "from memory, where not held")
        }
        #expect(shard.core.waiting.loadedBytes == 0)
    }
}
