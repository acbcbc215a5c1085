import ByteCoding
import CacheModel
import CacheWire
import Testing

@Suite struct FloorSnapshotPartTests {
    private func part(_ buckets: [Int], in range: Range<Int> = 10..<20) -> FloorSnapshotPart {
        var part = FloorSnapshotPart(
            log: LogID(1), asOf: .none, completeSince: .none, firstBucket: range.lowerBound,
            nextBucket: range.upperBound)
        part.buckets = buckets.map { .init($0, SequenceNumber(5)) }
        return part
    }

    /// What the reader says of a part; `nil` if it reads the same.
    private func code(of part: FloorSnapshotPart) throws -> ErrorCode? {
        var writer = ByteWriter()
        part.encode(requestID: 3, into: &writer)
        do throws(WireRefusal) {
            let read = try FloorSnapshotPart(decoding: MessageView(decoding: writer.bytes))
            #expect(read == part)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func theBucketsOfAPartLieInItAndInOrder() throws {
        #expect(try code(of: part([])) == nil)
        #expect(try code(of: part([10, 11, 19])) == nil)
        for wrong in [[9], [20], [11, 10], [12, 12]] {
            #expect(try code(of: part(wrong)) == .malformed, "\(wrong)")
        }
    }

    @Test func aPartIsAboutSomeBuckets() throws {
        let end = FloorBuckets.count
        #expect(try code(of: part([end - 1], in: 0..<end)) == nil)
        #expect(part([], in: 0..<end).isLast && !part([]).isLast)
        #expect(try code(of: part([], in: 5..<5)) == .outOfRange)
        #expect(try code(of: part([], in: 5..<(end + 1))) == .outOfRange)
    }

    @Test func theLargestPartFitsAFrame() throws {
        let namespaces = try (0..<512).map { number in
            let name = String(repeating: "n", count: 61) + String(100 + number)
            return FloorSnapshotPart.TouchedNamespace(
                try #require(Namespace(name)), SequenceNumber(1))
        }
        var largest = part((0..<16_384).map { $0 }, in: 0..<FloorBuckets.count)
        largest.namespaces = namespaces
        largest.prefixes = namespaces.map {
            .init([UInt8](repeating: 7, count: 128), in: $0.namespace, .max)
        }
        #expect(try code(of: largest) == nil)
        var writer = ByteWriter()
        largest.encode(requestID: 1, into: &writer)
        #expect(writer.count < 320 << 10)
    }
}
