import CacheModel

/// All bounds of a load test, side by side.
package enum WorkloadLimits {
    package static let phases = 1...100
    /// Length of a phase's name, the same as of a node's.
    package static let nameBytes = 1...64
    package static let duration: ClosedRange<Duration> = .milliseconds(100) ... .seconds(7 * 86_400)
    package static let operations = 1...1_000_000_000_000
    package static let keys = 1...1_000_000_000
    /// At least the prefix and the digits of a key's number; at most the longest key there is.
    package static let keyBytes = KeyName.bytesMin...CacheKey.bytesMax
    /// Values that fit one message, without chunks.
    package static let valueBytes = 0...(512 << 10)
    /// Shortest value that can contain its key's number, its version and a checksum.
    package static let verifiedValueBytesMin = 16
    package static let sizeParts = 1...32
    /// Connections of a process, all threads together.
    package static let connections = 1...4_096
    /// Operations in flight, all connections together.
    package static let inFlight = 1...1_048_576
    /// Operations in one message.
    package static let batch = 1...1_024
    /// Requests a second, all threads together.
    package static let rate = 1...100_000_000
    /// Least capacity of the backlog, all threads together.
    package static let backlogMin = 10_000
    package static let weight = 0.000_001...1_000_000.0
    package static let exponent = 0.01...9.99
    /// Share of requests, or of keys, of a hot set.
    package static let hotShare = 0.000_001...1.0
    /// The same as YCSB's longest scan.
    package static let scanKeysMax = 100
    package static let traceSpeed = 0.001...1_000_000.0

    /// The relations that must hold between them. Called by the tests.
    package static func check() {
        precondition(
            keys.upperBound <= 1 << 31, "a rank times a stride must be counted in 63 bits")
        precondition(
            keys.upperBound + operations.upperBound <= KeyName.numberMax,
            "every key that can be inserted has a name")
        precondition(
            keys.upperBound - 1 <= KeyName.verifiedNumberMax,
            "every key of a verified run has a name")
        precondition(
            verifiedValueBytesMin <= valueBytes.upperBound, "a value may be as long as it must be")
        precondition(
            backlogMin <= rate.upperBound, "a backlog of a second may be longer than the least")
    }
}
