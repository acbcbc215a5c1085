import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// Two generations of floors by hash against a dictionary that forgets nothing it should keep.
@Suite struct KeyFloorsTests {
    private static func stamp(_ sequence: UInt64) -> FillStamp {
        FillStamp(epochOrdinal: 0, sequence: SequenceNumber(sequence))
    }

    @Test func aFloorIsFoundAsItWasRaised() {
        var floors = KeyFloors(floorsMax: 1_000)
        for number in 1...400 as ClosedRange<UInt64> {
            #expect(
                floors.raise(
                    KeyHash(number << 16), to: Self.stamp(number), minimumVersion: nil) == nil)
        }
        #expect(floors.count == 400)
        for number in 1...400 as ClosedRange<UInt64> {
            #expect(floors.floor(of: KeyHash(number << 16)).unconditional == Self.stamp(number))
        }
        #expect(floors.floor(of: KeyHash(401 << 16)) == KeyFloor())
    }

    @Test func hashesThatBeginAtTheSamePlaceAreToldApart() {
        var floors = KeyFloors(floorsMax: 100)
        // They differ in bits that do not choose the place.
        for number in 1...20 as ClosedRange<UInt64> {
            _ = floors.raise(
                KeyHash(number << 48 | 7 << 16), to: Self.stamp(number), minimumVersion: nil)
        }
        for number in 1...20 as ClosedRange<UInt64> {
            #expect(
                floors.floor(of: KeyHash(number << 48 | 7 << 16)).highest == Self.stamp(number))
        }
    }

    @Test func theHighestOfTheOlderGenerationIsToldWhenItIsDropped() {
        var floors = KeyFloors(floorsMax: 4)
        var dropped: [FillStamp?] = []
        for number in 1...7 as ClosedRange<UInt64> {
            dropped.append(
                floors.raise(KeyHash(number << 16), to: Self.stamp(number), minimumVersion: nil))
        }
        #expect(dropped == [nil, nil, nil, nil, Self.stamp(2), nil, Self.stamp(4)])
        #expect(floors.floor(of: KeyHash(4 << 16)) == KeyFloor())
        #expect(floors.floor(of: KeyHash(5 << 16)).highest == Self.stamp(5))
    }

    /// A rise with a version adds to what the older generation has; one without begins anew.
    @Test func theOlderGenerationIsTakenAlongWhereItMatters() {
        for version in [nil, Version(9)] as [Version?] {
            var floors = KeyFloors(floorsMax: 2)
            let key = KeyHash(1 << 16)
            _ = floors.raise(key, to: Self.stamp(1), minimumVersion: Version(5))
            _ = floors.raise(KeyHash(2 << 16), to: Self.stamp(2), minimumVersion: nil)
            _ = floors.raise(key, to: Self.stamp(3), minimumVersion: version)
            var expected = KeyFloor()
            expected.raise(to: Self.stamp(1), minimumVersion: Version(5))
            expected.raise(to: Self.stamp(3), minimumVersion: version)
            #expect(floors.floor(of: key) == expected)
        }
    }

    /// A stamp below what the older generation has does not come in order.
    @Test func aLateRiseLowersNothing() {
        var floors = KeyFloors(floorsMax: 2)
        let key = KeyHash(1 << 16)
        _ = floors.raise(key, to: Self.stamp(8), minimumVersion: nil)
        _ = floors.raise(KeyHash(2 << 16), to: Self.stamp(9), minimumVersion: nil)
        _ = floors.raise(key, to: Self.stamp(3), minimumVersion: nil)
        #expect(floors.floor(of: key).unconditional == Self.stamp(8))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func itSaysWhatTwoDictionariesSay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var floors = KeyFloors(floorsMax: 64)
        var current: [KeyHash: KeyFloor] = [:]
        var previous: [KeyHash: KeyFloor] = [:]
        for step in 1...2_000 as ClosedRange<UInt64> {
            // Few places, so that probes meet each other.
            let hash = KeyHash((random.next() % 60) << 16 | random.next() % 3)
            let sequence = random.next() % 10 == 0 ? 1 + random.next() % step : step
            let version = random.next() % 4 == 0 ? Version(random.next() % 5) : nil
            var floor = current[hash] ?? previous[hash] ?? KeyFloor()
            floor.raise(to: Self.stamp(sequence), minimumVersion: version)
            var expected: FillStamp?
            if current[hash] == nil, current.count == 32 {
                expected = previous.values.map(\.highest).max()
                (previous, current) = (current, [:])
            }
            current[hash] = floor
            #expect(
                floors.raise(hash, to: Self.stamp(sequence), minimumVersion: version) == expected)
            #expect(floors.floor(of: hash) == floor)
            let other = KeyHash((random.next() % 60) << 16 | random.next() % 3)
            #expect(floors.floor(of: other) == current[other] ?? previous[other] ?? KeyFloor())
            #expect(floors.count == current.count + previous.count)
        }
    }
}
