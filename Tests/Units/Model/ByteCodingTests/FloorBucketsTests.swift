import ByteCoding
import Testing

@Suite struct FloorBucketsTests {
    private func buckets(_ namespace: String) -> FloorBuckets {
        Array(namespace.utf8).withUnsafeBytes { FloorBuckets(namespace: $0) }
    }

    @Test func theGoldenBucketsAreRight() throws {
        let golden = try GoldenHashes.load().buckets
        #expect(golden.count >= 30)
        for vector in golden {
            let buckets = buckets(vector.namespace)
            let bucket = GoldenHashes.bytes(vector.name).withUnsafeBytes {
                vector.kind == "tag" ? buckets.bucket(ofTag: $0) : buckets.bucket(ofKey: $0)
            }
            #expect(bucket == vector.bucket, "\(vector)")
        }
    }

    @Test func namesSpreadOverAllBuckets() {
        let room = buckets("default")
        var high = 0
        var low = FloorBuckets.count
        for number in 0..<10_000 {
            Array("key-\(number)".utf8).withUnsafeBytes {
                high = max(high, room.bucket(ofKey: $0))
                low = min(low, room.bucket(ofKey: $0))
                #expect(room.bucket(ofKey: $0) != room.bucket(ofTag: $0))
            }
        }
        #expect(low < 4_000 && high > FloorBuckets.count - 4_000 && high < FloorBuckets.count)
    }
}
