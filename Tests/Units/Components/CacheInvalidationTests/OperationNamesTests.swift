import CacheInvalidation
import CacheModel
import Testing

@Suite struct OperationNamesTests {
    private static let makers: [OperationNames.Maker] = [
        .publication(shard: 0), .publication(shard: 1), .write(shard: 0), .write(shard: 1),
        .queue, .retry,
    ]

    @Test func everyNumberOfEveryMakerHasANameOfItsOwn() {
        var seen: Set<OperationID> = [.none]
        for seed in [0, 1, 42] as [UInt64] {
            let names = OperationNames(seed: seed)
            for maker in Self.makers {
                for number in [0, 1, 2, 3, .max - 1, .max] as [UInt64] {
                    #expect(seen.insert(names.name(number, of: maker)).inserted)
                }
            }
        }
    }

    @Test func oneRunGivesTheSameNameAgain() {
        let (one, other) = (OperationNames(seed: 5), OperationNames(seed: 5))
        #expect(one.name(9, of: .queue) == other.name(9, of: .queue))
    }

    /// Whoever has seen some must not be able to use the next one first.
    @Test func nameAndNextNameHaveNothingInCommon() {
        let names = OperationNames(seed: 77)
        var changed = 0
        for number in 0..<1_000 as Range<UInt64> {
            let (one, next) = (
                names.name(number, of: .queue), names.name(number + 1, of: .queue)
            )
            changed += (one.high ^ next.high).nonzeroBitCount
            changed += (one.low ^ next.low).nonzeroBitCount
        }
        #expect((60_000...67_000).contains(changed), "of 128 000 bits half change")
    }
}
