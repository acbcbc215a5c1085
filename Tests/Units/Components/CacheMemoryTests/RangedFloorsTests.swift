import CacheModel
import Testing

@testable import CacheMemory

@Suite struct RangedFloorsTests {
    private static func rise(
        _ number: UInt64, _ strength: InvalidationRecord.Strength = .hard
    ) -> FloorRise {
        FloorRise(
            strength: strength, stamp: stamp(number), now: at(number),
            ordinal: FloorOrdinal(UInt32(number)))
    }

    /// Every sequence of three rises over eight places, against one floor for each place.
    @Test func threeRangesInAnyOrderRaiseExactlyWhatTheyCover() {
        let ranges = (UInt64(0)..<5).flatMap { low in (low..<5).map { low...$0 } }
        for first in ranges {
            for second in ranges {
                for third in ranges { Self.compare([first, second, third]) }
            }
        }
    }

    private static func compare(_ ranges: [ClosedRange<UInt64>]) {
        var floors = RangedFloors()
        var plain = [FillStamp](repeating: .none, count: 6)
        for (index, range) in ranges.enumerated() {
            let rise = rise(UInt64(index + 1))
            let isRaised = floors.raise(range, rise, piecesMax: 16)
            #expect(isRaised)
            for place in range { plain[Int(place)] = rise.stamp }
        }
        for place in plain.indices {
            let found = floors.floors(at: UInt64(place))?.hard ?? .none
            #expect(found == plain[place], "\(ranges) at \(place)")
        }
        let bounds = floors.pieces.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
        #expect(bounds == bounds.sorted(), "\(ranges)")
    }

    @Test func theEndsOfTheSpaceAreCovered() {
        var floors = RangedFloors()
        _ = floors.raise(0...UInt64.max, Self.rise(1), piecesMax: 4)
        _ = floors.raise(5...5, Self.rise(2), piecesMax: 4)
        #expect(floors.floors(at: 0)?.hard == stamp(1))
        #expect(floors.floors(at: 5)?.hard == stamp(2))
        #expect(floors.floors(at: .max)?.hard == stamp(1))
        _ = floors.raise(UInt64.max...UInt64.max, Self.rise(3), piecesMax: 4)
        #expect(floors.floors(at: .max)?.hard == stamp(3))
        #expect(floors.floors(at: .max - 1)?.hard == stamp(1))
    }

    @Test func pastTheBoundNothingIsRaised() {
        var floors = RangedFloors()
        let first = floors.raise(0...1, Self.rise(1), piecesMax: 2)
        #expect(first)
        let second = floors.raise(4...5, Self.rise(2), piecesMax: 2)
        #expect(second)
        let third = floors.raise(7...8, Self.rise(3), piecesMax: 2)
        #expect(!third)
        #expect(floors.floors(at: 7) == nil)
        let again = floors.raise(4...5, Self.rise(4), piecesMax: 2)
        #expect(again)
    }

    @Test func whatRoseBeforeTheSweepBeganIsRetired() {
        var floors = RangedFloors()
        _ = floors.raise(0...1, Self.rise(1), piecesMax: 4)
        _ = floors.raise(4...5, Self.rise(2), piecesMax: 4)
        let first = floors.retire(through: FloorOrdinal(1))
        #expect(first == stamp(1))
        #expect(floors.floors(at: 0) == nil && floors.floors(at: 4) != nil)
        floors.restartOrdinals()
        let second = floors.retire(through: FloorOrdinal(0))
        #expect(second == stamp(2))
        #expect(floors.isEmpty)
    }

    @Test func softAndHardStandBesideEachOther() {
        var floors = RangedFloors()
        _ = floors.raise(0...9, Self.rise(1, .soft), piecesMax: 4)
        _ = floors.raise(3...4, Self.rise(2), piecesMax: 4)
        let inside = floors.floors(at: 3)
        #expect(inside?.soft == stamp(1) && inside?.hard == stamp(2))
        #expect(floors.floors(at: 5)?.hard == FillStamp.none)
    }
}
