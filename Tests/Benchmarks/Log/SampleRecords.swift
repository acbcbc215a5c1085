import CacheModel
import CacheWire

/// Records that follow each other, each of which invalidates keys of its own.
struct SampleRecords {
    private(set) var mark: LogMark
    private var number: UInt64 = 0
    private let keys: Int

    /// - Parameter keys: how many each of them invalidates; one makes it about 80 bytes.
    init(after mark: LogMark, keys: Int) {
        self.mark = mark
        self.keys = keys
    }

    mutating func next() throws -> SealedRecord {
        let scopes = (0..<keys).compactMap { _ in
            number += 1
            return CacheKey("user:session:\(number &* 0x9E37_79B9_7F4A_7C15)")
                .map { Scope(.key($0, in: .default)) }
        }
        let sealed = try SealedRecord(
            sealing: InvalidationRecord(
                position: mark.position.next, previousDigest: mark.digest, operation: .none,
                strength: .hard, scopes: scopes))
        mark = sealed.mark
        return sealed
    }
}
