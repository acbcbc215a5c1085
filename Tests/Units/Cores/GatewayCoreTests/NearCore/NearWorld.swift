import CacheHTTP
import CacheModel
import GatewayCore

/// Short words for what these tests say again and again.
enum Near {
    static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    static func position(_ sequence: UInt64, epoch: UInt32 = 1) -> LogPosition {
        LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence))
    }

    static func key(_ name: String) -> NearKey {
        guard let key = CacheKey(name) else { preconditionFailure("a sample is a legal key") }
        return NearKey(key, in: .default)
    }

    static func scope(_ name: String) -> Scope { Scope(.key(key(name).key, in: .default)) }

    static func record(
        _ sequence: UInt64, _ scopes: [Scope], epoch: UInt32 = 1
    ) -> InvalidationRecord {
        InvalidationRecord(
            position: position(sequence, epoch: epoch), previousDigest: LogDigest(0),
            operation: .none,
            strength: .hard, scopes: scopes)
    }

    /// What a node that vouches for it answers.
    static func value(
        _ bytes: [UInt8], at sequence: UInt64, epoch: UInt32 = 1
    ) -> FoundValue {
        var value = FoundValue(bytes)
        value.position = position(sequence, epoch: epoch)
        value.state = .live
        value.tier = .memory
        return value
    }

    /// One that follows the log from its fifth record.
    static func cache(bytesMax: Int = 1 << 20, ageMax: Duration = .seconds(1)) -> NearCache {
        var cache = NearCache(bytesMax: bytesMax, ageMax: ageMax)
        cache.follows(after: position(5))
        return cache
    }
}

extension NearCache {
    /// Reads a key of a node at once.
    mutating func read(_ name: String, _ value: FoundValue, at now: Instant) {
        let key = Near.key(name)
        keep(value, for: key, since: ticket(for: key, at: now), at: now)
    }

    mutating func bytes(_ name: String, _ terms: ReadTerms = ReadTerms(), at now: Instant)
        -> [UInt8]?
    {
        value(for: Near.key(name), terms, at: now)?.bytes
    }
}
