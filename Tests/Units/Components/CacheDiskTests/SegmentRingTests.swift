import Testing
import TestSupport

@testable import CacheDisk

@Suite struct SegmentRingTests {
    /// Places in the ring are looked for one by one.
    private struct Model {
        let placeCount: Int
        let outside: Set<Int>

        func isInside(_ number: UInt64) -> Bool {
            !outside.contains(Int((number - 1) % UInt64(placeCount)))
        }

        func after(_ number: UInt64, by steps: Int) -> UInt64 {
            var (number, left) = (number, steps)
            while left > 0 {
                number += 1
                if isInside(number) { left -= 1 }
            }
            return number
        }

        func before(_ number: UInt64) -> UInt64 {
            var number = number
            repeat { number -= 1 } while number > 0 && !isInside(number)
            return number
        }
    }

    @Test func theNumbersAfterAndBeforeAreThoseOfPlacesInTheRing() {
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<400 {
            let count = 1 + dice.below(12)
            let outside = Set((0..<dice.below(count)).map { _ in dice.below(count) })
            let ring = SegmentRing(count, outside: outside)
            let model = Model(placeCount: count, outside: outside)
            #expect(ring.count == count - outside.count && ring.outsideCount == outside.count)
            for number in 0..<UInt64(3 * count) {
                let place = SegmentNumber(number)
                for steps in 1...count + 2 {
                    #expect(
                        ring.number(after: place, by: steps).rawValue
                            == model.after(number, by: steps))
                }
                guard number > 0 else { continue }
                #expect(ring.number(before: place).rawValue == model.before(number))
                #expect(ring.contains(place) == model.isInside(number))
            }
        }
    }

    @Test func aPlaceThatLeavesAndReturnsLeavesTheRingAsItWas() {
        let whole = SegmentRing(9)
        var ring = whole
        ring.remove(4)
        #expect(ring == SegmentRing(9, outside: [4]))
        #expect(ring.number(after: SegmentNumber(4)) == SegmentNumber(6))
        ring.insert(4)
        #expect(ring == whole)
    }
}
