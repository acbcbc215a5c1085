import CacheModel
import CacheVerification
import Testing

@Suite struct OwnedKeysTests {
    /// Everything from below the first to beyond the last.
    @Test func aKeyIsOwnedOrNot() {
        for stride in 1...4 {
            let keys = OwnedKeys(first: 5, stride: stride, count: 4)
            let owned = (-20...40).filter(keys.contains)
            #expect(owned == (0..<4).map { 5 + $0 * stride })
        }
    }

    @Test func anOracleKeepsTheKeysOfItsPartApart() {
        let now = Instant(nanoseconds: 1)
        for stride in [1, 2, 3, 4] {
            let keys = OwnedKeys(first: 5, stride: stride, count: 4)
            var oracle = AnswerOracle(keys: keys, run: RunStamp(1))
            for place in 0..<4 {
                for _ in 0..<place { oracle.changed(5 + place * stride, at: now) }
            }
            let versions = (0..<4).map { oracle.newest(of: 5 + $0 * stride).rawValue }
            #expect(versions == [0, 1, 2, 3])
        }
    }

    @Test(arguments: [4, 6, 13, -1])
    func aKeyOfAnotherThreadIsAProgrammingError(key: Int) async {
        await #expect(processExitsWith: .failure) { [key] in
            let keys = OwnedKeys(first: 5, stride: 2, count: 4)
            _ = AnswerOracle(keys: keys, run: RunStamp(1)).newest(of: key)
        }
    }
}
