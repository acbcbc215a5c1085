package import CacheModel

/// Several keys that are asked for at once.
package struct BatchOrder: Hashable, Sendable {
    package var namespace: Namespace
    package var keys: [CacheKey]
    package var terms: ReadTerms

    /// Most keys of one.
    package static let keysMax = 100
    /// Longest body of one, in bytes.
    package static let bodyBytesMax = 1 << 20
    /// Most bytes of values in one answer, as they are written there: JSON takes up to six for one.
    /// What is beyond is left out and said.
    package static let valueBytesMax = 8 << 20

    package init(
        _ namespace: Namespace, _ terms: ReadTerms, body: [UInt8]
    ) throws(Problem) {
        var members = try BodyMembers(body)
        try self.init(namespace, terms, &members)
    }

    /// Reads `keys` of a body that has nothing else.
    init(
        _ namespace: Namespace, _ terms: ReadTerms, _ members: inout BodyMembers
    ) throws(Problem) {
        var keys: [CacheKey] = []
        for bytes in try members.names("keys") {
            guard let key = CacheKey(bytes: bytes) else {
                throw members.outside("keys", CacheKey.bytesMax)
            }
            keys.append(key)
        }
        try members.end()
        guard (1...Self.keysMax).contains(keys.count) else {
            throw Problem(.malformedBody, "keys has 1 to \(Self.keysMax) keys; ask several times")
        }
        // One long value would be held once for each time that it is named.
        guard Set(keys).count == keys.count else {
            throw Problem(.malformedBody, "keys names a key twice; ask for each once")
        }
        self.namespace = namespace
        self.keys = keys
        self.terms = terms
    }
}
