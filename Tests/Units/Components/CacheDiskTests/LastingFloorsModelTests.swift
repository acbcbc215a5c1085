import CacheModel
import Testing

@testable import CacheDisk

/// Floors against a list of every invalidation there was, over runs of chance.
@Suite struct LastingFloorsModelTests {
    private static let bytesMax = 1 << 20 - Checkpoint.headBytes

    /// Positions mostly rise; a restart replays some.
    private static func sequence(_ number: Int, _ chance: inout FloorsChance) -> UInt64 {
        UInt64(max(1, number - (chance.generator.below(8) == 0 ? chance.generator.below(50) : 0)))
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func whereAllHasRoomEveryVerdictIsExact(seed: UInt64) throws {
        var chance = FloorsChance(seed: seed)
        var floors = LastingFloors(seed: seed, bytesMax: Self.bytesMax)
        var model = FloorsModel()
        var counts: [LastingFloors.Verdict: Int] = [:]
        for number in 1...400 {
            let rise = try chance.rise(at: Self.sequence(number, &chance))
            floors.raise(rise)
            model.rises.append(rise)
            for _ in 0..<4 {
                let subject = chance.subject(fillMax: number)
                let (found, expected) = (
                    subject.verdict(under: floors), model.verdict(over: subject)
                )
                counts[expected, default: 0] += 1
                guard found == expected else {
                    Issue.record("\(number): \(subject) is \(found), not \(expected)")
                    return
                }
            }
        }
        #expect(counts.values.allSatisfy { $0 > 20 } && counts.count == 3, "\(counts)")
    }

    @Test(arguments: [1_024, 2_048, 9_000], 1...3 as ClosedRange<UInt64>)
    func whereRoomIsShortMoreIsHiddenNeverLess(bytesMax: Int, seed: UInt64) throws {
        var chance = FloorsChance(seed: seed)
        (chance.extraNames, chance.tagNames, chance.letters) = (60, 40, Array("abcdefgh"))
        chance.isEverythingSpared = seed > 1
        var floors = LastingFloors(seed: seed, bytesMax: bytesMax)
        var model = FloorsModel()
        var more = 0
        for number in 1...900 {
            let rise = try chance.rise(at: Self.sequence(number, &chance))
            floors.raise(rise)
            model.rises.append(rise)
            if number % 50 == 0 {
                let bytes = floors.encoded()
                #expect(bytes.count <= bytesMax)
                floors = try #require(
                    LastingFloors(decoding: bytes, seed: seed, bytesMax: bytesMax))
            }
            let subject = chance.subject(fillMax: number)
            let (found, expected) = (subject.verdict(under: floors), model.verdict(over: subject))
            guard found.weight >= expected.weight else {
                Issue.record("\(number): \(subject) is \(found), not \(expected)")
                return
            }
            if found.weight > expected.weight { more += 1 }
            if subject.fill >= floors.highest { #expect(found == .clear) }
        }
        #expect(more < 800)
    }

    @Test func aLongLifeTakesNoMoreRoomThanWasGiven() throws {
        var chance = FloorsChance(seed: 5)
        (chance.extraNames, chance.tagNames) = (5_000, 1_000_000)
        chance.isEverythingSpared = true
        chance.letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        let bytesMax = 64 << 10 - Checkpoint.headBytes
        var floors = LastingFloors(seed: 5, bytesMax: bytesMax)
        for number in 1...20_000 as ClosedRange<UInt64> {
            floors.raise(try chance.rise(at: number))
            guard number % 2_000 == 0 else { continue }
            let (bytes, memory) = (floors.encoded().count, floors.memoryBytes)
            #expect(bytes <= bytesMax && bytes > bytesMax / 2 || number < 8_000)
            #expect(memory <= 3 * bytesMax)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func namesThatBeginAnotherAreFoundAsByAskingEach(seed: UInt64) throws {
        var chance = FloorsChance(seed: seed)
        var list = ScopeNameList<Int>()
        var names: [ScopeName] = [.everything]
        _ = list.place(.everything, 0)
        for number in 1...300 {
            let namespace = Namespace(chance.name()) ?? .default
            let text = chance.text(number % 3 == 0 ? 20 : 5)
            let name = ScopeName(prefix: Array(text.utf8), in: namespace, lengthMax: 16)
            if list.place(name, number).isNew { names.append(name) }
            let asked = ScopeName(prefix: Array(chance.text(24).utf8), in: namespace, lengthMax: 99)
            asked.bytes.withUnsafeBytes { asked in
                var found: [[UInt8]] = []
                list.forEach(beginning: asked) { found.append(list.names[$0].bytes) }
                let expected = names.map(\.bytes).filter { asked.starts(with: $0) }
                #expect(found == expected.sorted { $0.count > $1.count })
                #expect((list.index(of: asked) != nil) == expected.contains(Array(asked)))
            }
        }
        let sorted = names.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
        #expect(list.names.map(\.bytes) == sorted && list.count > 100)
    }
}
