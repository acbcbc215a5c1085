import ByteCoding
import Testing

@Suite struct KeyHasherTests {
    private static let constants: [UInt64] = [0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB]
    private static let seeds = (1...64).map { StableHash.mix($0) }

    private static func hash(_ hasher: KeyHasher, _ bytes: [UInt8], room: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hasher.hash($0, room: room) }
    }

    private static func key(_ words: [UInt64]) -> [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    private static func areDistinct(_ hashes: [UInt64]) -> Bool {
        Set(hashes).count == hashes.count
    }

    @Test func everyFlippedBitAndEveryLengthHasAHashOfItsOwn() {
        for seed in Self.seeds.prefix(8) {
            let hasher = KeyHasher(seed: seed)
            var hashes: [UInt64] = []
            for length in 0...40 {
                var key = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 5) }
                hashes.append(Self.hash(hasher, key))
                for bit in 0..<(length * 8) {
                    key[bit / 8] ^= 1 << (bit % 8)
                    hashes.append(Self.hash(hasher, key))
                    key[bit / 8] ^= 1 << (bit % 8)
                }
            }
            #expect(Self.areDistinct(hashes))
        }
    }

    @Test func zerosOfEveryLengthHashApart() {
        let hasher = KeyHasher(seed: 7)
        let hashes = (0...300).map { Self.hash(hasher, [UInt8](repeating: 0, count: $0)) }
        #expect(Self.areDistinct(hashes))
    }

    @Test func roomsAndSeedsTellTheSameKeyApart() {
        let key = Array("user:1".utf8)
        #expect(Self.areDistinct((0..<1_000).map { Self.hash(KeyHasher(seed: 7), key, room: $0) }))
        #expect(Self.areDistinct((0..<1_000).map { Self.hash(KeyHasher(seed: $0), key) }))
    }

    @Test func theSameKeyHashesAlikeWhereverItLies() {
        let hasher = KeyHasher(seed: 7)
        for length in 0...40 {
            let key = (0..<length).map { UInt8($0) }
            for start in 0..<9 {
                let shifted = [UInt8](repeating: 0xFF, count: start) + key + [0xFF]
                shifted.withUnsafeBytes { all in
                    let view = UnsafeRawBufferPointer(rebasing: all[start..<(start + length)])
                    #expect(hasher.hash(view, room: 0) == Self.hash(hasher, key))
                }
            }
        }
    }

    /// How far the keys stand from an even spread over `buckets`, as chi squared.
    private static func unevenness(
        _ keys: [[UInt8]], buckets: Int, bucket: (UInt64) -> Int
    ) -> Double {
        let hasher = KeyHasher(seed: 20_240_607)
        var counts = [Int](repeating: 0, count: buckets)
        for key in keys { counts[bucket(hash(hasher, key))] += 1 }
        let expected = Double(keys.count) / Double(buckets)
        return counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) }
            / expected
    }

    @Test func keysOfAKindSpreadEvenlyOverBuckets() {
        let kinds: [[[UInt8]]] = [
            (0..<65_536).map { Array("user:\($0)".utf8) },
            (0..<65_536).map { Self.key([UInt64($0)]) },
            (0..<65_536).map { Self.key([UInt64($0) << 48, 0]) },
            (0..<65_536).map { Self.key([0, 0, 0, UInt64($0) << 24]) },
        ]
        for keys in kinds {
            // 1 023 degrees of freedom: mean 1 023, deviation 45; six of them are allowed.
            let low = Self.unevenness(keys, buckets: 1_024) { Int($0 & 1_023) }
            let high = Self.unevenness(keys, buckets: 1_024) { Int($0 >> 54) }
            #expect(low < 1_295, "low bits of \(keys[1])")
            #expect(high < 1_295, "high bits of \(keys[1])")
        }
    }

    /// Keys in which `word` takes the place of one factor and another word varies.
    private static func aimed(at word: UInt64) -> [[UInt8]] {
        (0..<64 as Range<UInt64>).flatMap { index -> [[UInt8]] in
            let other = StableHash.mix(index + 1)
            return [
                key([word, other]), key([other, word]), key([word, other, 1, 2]),
                key([other, word, 1, 2]), key([1, 2, word, other]), key([1, 2, other, word]),
                key([word, other]) + [1], key([other, word]) + [1],
            ]
        }
    }

    @Test func keysAimedAtTheConstantsDoNotCollide() {
        var words: [UInt64] = [0, .max] + Self.constants
        words += Self.constants.map { StableHash.mix($0) }
        words += words.flatMap { [$0 ^ 16, $0 ^ 32] }
        for word in words {
            let keys = Self.aimed(at: word)
            #expect(Set(keys).count == keys.count)
            for seed in Self.seeds {
                let hasher = KeyHasher(seed: seed)
                let areDistinct = Self.areDistinct(keys.map { Self.hash(hasher, $0) })
                #expect(areDistinct, "word \(word)")
            }
        }
    }

    /// What the seed is for: who knows it can make a factor zero, and then every key collides.
    @Test func keysCollideOnlyWithAKnownSeed() {
        let hasher = KeyHasher(seed: Self.seeds[0])
        let keys = (0..<64 as Range<UInt64>).map { Self.key([hasher.secret2, $0]) }
        #expect(Set(keys.map { Self.hash(hasher, $0) }).count == 1)
        let other = KeyHasher(seed: Self.seeds[1])
        #expect(Self.areDistinct(keys.map { Self.hash(other, $0) }))
    }
}
