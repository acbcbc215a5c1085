package import CacheModel

/// One change of one key, to be sent to an origin.
package struct OriginWrite: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case put([UInt8])
        case delete
    }

    package var namespace: Namespace
    package var key: CacheKey
    package var change: Change
    /// The representation of the new value.
    package var representation = Representation()
    /// The operation id by which the origin detects a repetition. Not ``OperationID/none``.
    package var name: OperationID
    /// The trace of the external request that it belongs to, forwarded to the origin; decides
    /// nothing.
    package var trace: TraceContext?

    package init(namespace: Namespace, key: CacheKey, change: Change, name: OperationID) {
        self.namespace = namespace
        self.key = key
        self.change = change
        self.name = name
    }

    package var line: WriteLine { WriteLine(namespace: namespace, key: key) }

    /// The new value; `nil` for a deletion.
    package var value: [UInt8]? {
        if case .put(let bytes) = change { bytes } else { nil }
    }

    /// The name as a field's value: a string of RFC 9651.
    package var idempotencyKey: String {
        "\"" + Self.hex(name.high) + "-" + Self.hex(name.low) + "\""
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Approximate size in memory and on disk.
    package var costBytes: Int {
        WriteLimits.overheadBytes + key.bytes.count + (value?.count ?? 0)
            + representation.stored.count
    }
}
