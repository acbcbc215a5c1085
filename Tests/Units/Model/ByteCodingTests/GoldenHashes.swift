import TestSupport

/// Tests/Conformance/golden/hashes.json, as far as this module answers for it.
struct GoldenHashes: Decodable {
    struct Hash: Decodable {
        let input: String
        let seed: String
        let hash: String
    }

    struct Mix: Decodable {
        let input: String
        let output: String
    }

    struct Route: Decodable {
        let namespace: String
        let key: String
        let route: String
    }

    struct Bucket: Decodable {
        let namespace: String
        let kind: String
        let name: String
        let bucket: Int
    }

    struct Shard: Decodable {
        let node: String
        let shard: UInt16
        let hash: String
    }

    let xxh64: [Hash]
    let mix: [Mix]
    let routes: [Route]
    let buckets: [Bucket]
    let shards: [Shard]

    static func load() throws -> GoldenHashes { try Repository.golden("hashes.json") }

    /// The bytes of a hexadecimal string; empty if it is none.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
