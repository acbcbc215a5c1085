import ByteCoding
import Testing

/// XXH64 and SplitMix64's finaliser against published values and those of the conformance suite.
@Suite struct StableHashTests {
    @Test func thePublishedValuesAreRight() {
        #expect(StableHash.hash([]) == 0xEF46_DB37_51D8_E999)
        #expect(StableHash.hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
        let long = Array("Nobody inspects the spammish repetition".utf8)
        #expect(StableHash.hash(long) == 0xFBCE_A83C_8A37_8BF1)
        #expect(StableHash.hash(Array("xxhash".utf8), seed: 20_141_025) == 0xB559_B98D_844E_0635)
    }

    @Test func theGoldenHashesAreRight() throws {
        let golden = try GoldenHashes.load()
        #expect(golden.xxh64.count >= 100)
        for vector in golden.xxh64 {
            let seed = try #require(UInt64(vector.seed))
            let hash = StableHash.hash(GoldenHashes.bytes(vector.input), seed: seed)
            #expect(String(hash) == vector.hash, "input \(vector.input), seed \(seed)")
        }
    }

    @Test func theGoldenMixturesAreRight() throws {
        for vector in try GoldenHashes.load().mix {
            let input = try #require(UInt64(vector.input))
            #expect(String(StableHash.mix(input)) == vector.output, "input \(input)")
        }
    }

    @Test func theGoldenRoutesAndShardsAreRight() throws {
        let golden = try GoldenHashes.load()
        for vector in golden.routes {
            let bytes = Array(vector.namespace.utf8) + [0] + GoldenHashes.bytes(vector.key)
            #expect(String(StableHash.hash(bytes)) == vector.route, "\(vector)")
        }
        for vector in golden.shards {
            let shard = [UInt8(vector.shard & 0xFF), UInt8(vector.shard >> 8)]
            let hash = StableHash.hash(Array(vector.node.utf8) + [0] + shard)
            #expect(String(hash) == vector.hash, "\(vector)")
        }
    }

    @Test func bytesThatAreNotAlignedHashAlike() {
        let bytes = (0..<100).map { UInt8($0) }
        for start in 0..<9 {
            let shifted = [UInt8](repeating: 0xFF, count: start) + bytes
            shifted.withUnsafeBytes { all in
                let view = UnsafeRawBufferPointer(rebasing: all[start...])
                #expect(StableHash.hash(view) == StableHash.hash(bytes))
            }
        }
    }
}
