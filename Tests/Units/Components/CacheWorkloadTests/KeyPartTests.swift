import CacheWorkload
import Testing

@Suite struct KeyPartTests {
    @Test(arguments: 1...7, 1...20)
    func partsShareNoKeyAndLeaveNone(partCount: Int, keyCount: Int) {
        var owners: [Int: Int] = [:]
        for index in 0..<partCount {
            let part = KeyPart(index: index, count: partCount)
            for place in 0..<part.ownCount(of: keyCount) {
                #expect(owners.updateValue(index, forKey: part.key(at: place)) == nil)
            }
        }
        #expect(owners.keys.sorted() == Array(0..<keyCount))
    }

    /// Machines may have different numbers of threads.
    @Test func partsOfPartsShareNoKeyAndLeaveNone() {
        var keys: [Int] = []
        for (machine, threads) in [1, 2, 5].enumerated() {
            let own = KeyPart(index: machine, count: 3)
            for thread in 0..<threads {
                let part = own.part(thread, of: threads)
                keys += (0..<part.ownCount(of: 1_000)).map { part.key(at: $0) }
            }
        }
        #expect(keys.sorted() == Array(0..<1_000))
    }

    @Test(arguments: 1...5, [5, 6, 17])
    func everyKeyHasAnOwnOneNearby(partCount: Int, keyCount: Int) {
        for index in 0..<partCount {
            let part = KeyPart(index: index, count: partCount)
            for key in 0..<keyCount {
                let own = part.own(key, of: keyCount)
                #expect(own % partCount == index && (0..<keyCount).contains(own))
                #expect(abs(own - key) < max(partCount, 2))
                if key % partCount == index { #expect(own == key) }
            }
        }
    }

    @Test func aPartOutsideItsWholeIsAMistakeOfTheCaller() async {
        await #expect(processExitsWith: .failure) { _ = KeyPart(index: 2, count: 2) }
        await #expect(processExitsWith: .failure) { _ = KeyPart(index: -1, count: 2) }
    }
}
