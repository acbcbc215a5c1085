import CacheModel
import Testing

@Suite struct HashSlotTests {
    private func slot(_ key: String) -> UInt16 {
        Array(key.utf8).withUnsafeBytes { HashSlot(of: $0).rawValue }
    }

    /// The numbers are of Redis Cluster's rule, computed with another implementation of the CRC.
    @Test(
        arguments: [
            ("", 0), ("foo", 12_182), ("bar", 5_061), ("hello", 866), ("123456789", 12_739),
            ("somekey", 11_058), ("user1000", 3_443),
        ] as [(String, UInt16)])
    func theSlotIsThatOfRedisCluster(key: String, number: UInt16) {
        #expect(slot(key) == number)
    }

    @Test func keysWithTheSameHashTagHaveTheSameSlot() {
        #expect(slot("{user1000}.following") == slot("user1000"))
        #expect(slot("{user1000}.followers") == slot("user1000"))
        #expect(slot("foo{bar}{zap}") == slot("bar"))
        #expect(slot("foo{{bar}}zap") == slot("{bar"))
        #expect(slot("}{a}") == slot("a"))
    }

    /// An empty tag would put all such keys together.
    @Test func withoutAHashTagTheWholeKeyCounts() {
        #expect(slot("foo{}{bar}") == 8_363)
        #expect(slot("{}") == 15_257)
        #expect(slot("{") == 4_092)
        #expect(slot("a}b{c") == 13_587)
    }

    @Test func aSlotIsBelow16384() {
        #expect(HashSlot(16_383)?.rawValue == 16_383)
        #expect(HashSlot(16_384) == nil && HashSlot(-1) == nil)
    }
}
