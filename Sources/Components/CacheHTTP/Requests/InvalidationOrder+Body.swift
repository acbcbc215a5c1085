import CacheModel

extension InvalidationOrder {
    /// Longest body of an order, in bytes: scopes together have at most 64 KiB in a record, and
    /// JSON may need six bytes for one.
    package static let bodyBytesMax = 512 << 10

    /// Reads the body of `POST /v1/invalidate`.
    package init(body: [UInt8]) throws(Problem) {
        var members = try BodyMembers(body)
        let namespace = try members.namespace("namespace") ?? .default
        let minimum = try members.version("min_version")
        var scopes: [Scope] = []
        for bytes in try members.names("keys") {
            guard let key = CacheKey(bytes: bytes) else {
                throw members.outside("keys", CacheKey.bytesMax)
            }
            scopes.append(Scope(.key(key, in: namespace), minimumVersion: minimum))
        }
        guard minimum == nil || !scopes.isEmpty else {
            throw Problem(.malformedBody, "min_version is for keys")
        }
        for bytes in try members.names("tags") {
            guard let tag = Tag(bytes: bytes) else { throw members.outside("tags", Tag.bytesMax) }
            scopes.append(Scope(.tag(tag, in: namespace)))
        }
        for bytes in try members.names("prefixes") {
            guard (1...CacheKey.bytesMax).contains(bytes.count) else {
                throw members.outside("prefixes", CacheKey.bytesMax)
            }
            scopes.append(Scope(.prefix(bytes, in: namespace)))
        }
        for bytes in try members.names("namespaces") {
            guard let name = Namespace(String(decoding: bytes, as: UTF8.self)) else {
                throw Problem(.malformedBody, "namespaces: 1 to 64 of a–z A–Z 0–9 . _ - each")
            }
            scopes.append(Scope(.namespace(name)))
        }
        if try members.flag("everything") { scopes.append(Scope(.everything)) }
        self.init(scopes)
        isSoft = try members.flag("soft")
        isDryRun = try members.flag("dry_run")
        if let word = try members.text("wait") {
            guard let wait = Wait(rawValue: word) else {
                throw Problem(.malformedBody, "wait is none, quorum or all")
            }
            self.wait = wait
        }
        if let milliseconds = try members.unsigned("timeout_ms") {
            let most = Self.timeoutMax.wholeMilliseconds
            guard (1...most).contains(milliseconds) else {
                throw Problem(.malformedBody, "timeout_ms is 1 to \(most)")
            }
            timeout = .milliseconds(Int64(milliseconds))
        }
        try members.end()
        guard (1...InvalidationRecord.scopesMax).contains(scopes.count) else {
            throw Problem(
                .malformedBody,
                "an invalidation has 1 to \(InvalidationRecord.scopesMax) of keys, tags, prefixes "
                    + "and namespaces, or everything: true")
        }
    }
}
