import Foundation
import Testing

@testable import CacheDisk

@Suite struct AdmissionSketchTests {
    /// Requests for keys of which the first are asked for most, by Zipf's law.
    private static func requests(_ count: Int, keyCount: Int, skew: Double) -> [UInt64] {
        var sums: [Double] = []
        var sum = 0.0
        for rank in 1...keyCount {
            sum += pow(Double(rank), -skew)
            sums.append(sum)
        }
        var draw = Draw(seed: 11)
        return (0..<count).map { _ in
            let point = Double(draw.next() >> 11) / Double(1 << 53) * sum
            var (low, high) = (0, keyCount - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] < point { low = middle + 1 } else { high = middle }
            }
            return Draw.mix(UInt64(low) &+ 77)
        }
    }

    /// Over less than the time in which every line is halved.
    @Test(arguments: [0.6, 0.8, 1.0])
    func theSketchDistinguishesKeysRequestedOnceFromRepeatedOnes(skew: Double) {
        let entryCount = 10_000
        var sketch = AdmissionSketch(entryCount: entryCount)
        var exact: [UInt64: Int] = [:]
        for hash in Self.requests(3 * entryCount, keyCount: 100_000, skew: skew) {
            sketch.count(hash)
            exact[hash, default: 0] += 1
        }
        var (onceCount, wrongCount, tooLowCount) = (0, 0, 0)
        for (hash, count) in exact {
            let estimate = sketch.estimate(hash)
            if estimate < min(count, AdmissionSketch.countMax) / 2 { tooLowCount += 1 }
            guard count == 1 else { continue }
            onceCount += 1
            if estimate >= 2 { wrongCount += 1 }
        }
        #expect(tooLowCount == 0, "halved once at most")
        let share = Double(wrongCount) / Double(onceCount)
        #expect(share < 0.25, "\(share) of \(onceCount) keys asked for once")
    }

    @Test func withRoomForAllAnEstimateIsExact() {
        var sketch = AdmissionSketch(entryCount: 100_000)
        var draw = Draw(seed: 3)
        let keys = (0..<300).map { _ in draw.next() }
        for (number, key) in keys.enumerated() {
            for _ in 0..<number % 6 { sketch.count(key) }
        }
        // A line or two has been halved since.
        let wrong = keys.enumerated().count { number, key in
            sketch.estimate(key) != min(number % 6, AdmissionSketch.countMax)
        }
        #expect(wrong <= 3)
    }

    @Test func aCountStopsAtThreeAndIsHalvedOnceInAPeriod() {
        let entryCount = 512
        var sketch = AdmissionSketch(entryCount: entryCount)
        let key: UInt64 = 5
        for _ in 0..<5 { sketch.count(key) }
        var seen = [sketch.estimate(key)]
        // The last line's key, so that it shares nothing with the first's.
        for _ in 0..<3 {
            for _ in 0..<AdmissionSketch.periodUsual * entryCount { sketch.count(.max) }
            seen.append(sketch.estimate(key))
        }
        #expect(seen == [3, 1, 0, 0])
    }

    @Test(arguments: [1, 1_000, 50_000, 1_000_000])
    func itTakesTwoBytesAnEntry(entryCount: Int) {
        let sketch = AdmissionSketch(entryCount: entryCount)
        let (bytes, capacity) = (sketch.memoryBytes, sketch.capacity)
        #expect(bytes <= 2 * entryCount + 1_024 && capacity >= entryCount)
    }

    @Test func forNoEntriesItCountsNothingAndTakesNothing() {
        var sketch = AdmissionSketch(entryCount: 0)
        sketch.count(1)
        let (estimate, bytes) = (sketch.estimate(1), sketch.memoryBytes)
        #expect(estimate == 0 && bytes == 0)
    }

    @Test func everyHashHasItsPlace() {
        var sketch = AdmissionSketch(entryCount: 33)
        for hash: UInt64 in [0, 1, .max, .max - 1, 1 << 63, 0xFFFFF] {
            sketch.count(hash)
            let estimate = sketch.estimate(hash)
            #expect(estimate >= 1)
        }
    }
}

/// Numbers that follow from a seed.
private struct Draw {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
