package import CacheModel

/// One change of one key that an origin is to be told.
package struct OriginWrite: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case put([UInt8])
        case delete
    }

    package var namespace: Namespace
    package var key: CacheKey
    package var change: Change
    /// What the new value's bytes are.
    package var representation = Representation()
    /// What the origin knows a repetition by. Not ``OperationID/none``.
    package var name: OperationID
    /// Which request of the outside it is for, for the origin to know; nothing is decided by it.
    package var trace: TraceContext?

    package init(namespace: Namespace, key: CacheKey, change: Change, name: OperationID) {
        self.namespace = namespace
        self.key = key
        self.change = change
        self.name = name
    }

    package var line: WriteLine { WriteLine(namespace: namespace, key: key) }

    /// The new value; `nil` if there is to be none.
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

    /// What it takes in memory and on disk, about.
    package var costBytes: Int {
        WriteLimits.overheadBytes + key.bytes.count + (value?.count ?? 0)
            + representation.stored.count
    }
}
