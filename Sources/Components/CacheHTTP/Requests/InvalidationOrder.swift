package import CacheModel

/// What is to be invalidated, and how much is to be waited for.
package struct InvalidationOrder: Hashable, Sendable {
    package enum Wait: String, CaseIterable, Sendable {
        case none, quorum, all
    }

    package var scopes: [Scope]
    package var isSoft = false
    package var wait = Wait.all
    /// How long; `nil`: as long as the gateway waits for anything.
    package var timeout: Duration?
    package var isDryRun = false

    package init(_ scopes: [Scope]) { self.scopes = scopes }

    /// Longest that can be waited for.
    package static let timeoutMax = Duration.seconds(60)
    static let waitField = "Martlet-Wait"
    static let softField = "Martlet-Soft"

    /// A PURGE of a key, or of the tags that its fields name.
    package init(
        purging key: CacheKey?, in namespace: Namespace, _ fields: FieldList
    ) throws(Problem) {
        if let key {
            let field = [TagText.surrogateField, TagText.groupsField].first { fields[$0] != nil }
            if let field {
                throw Problem(
                    .malformedField,
                    "a PURGE of a key takes no \(field): send it to the namespace, or for keys and "
                        + "tags together use POST /v1/invalidate")
            }
            scopes = [Scope(.key(key, in: namespace))]
        } else {
            scopes = try TagText.tags(in: fields).map { Scope(.tag($0, in: namespace)) }
            guard !scopes.isEmpty else {
                throw Problem(
                    .malformedField,
                    "a PURGE of a namespace says which tags in \(TagText.surrogateField) or "
                        + "\(TagText.groupsField); for all of the namespace use POST /v1/invalidate"
                )
            }
        }
        if let text = fields[Self.waitField] {
            guard let word = Wait(rawValue: text) else { throw Self.wrongWait }
            wait = word
        }
        if let text = fields[Self.softField] {
            guard ["?1", "?0", "1", "0"].contains(text) else {
                throw Problem(.malformedField, "\(Self.softField) is ?1 or ?0")
            }
            isSoft = text.hasSuffix("1")
        }
    }

    private static var wrongWait: Problem {
        Problem(.malformedField, "\(waitField) is none, quorum or all")
    }

    /// The tags among its scopes: the groups that caches before the gateway have to drop.
    package var tags: [Tag] {
        scopes.compactMap { scope in
            if case .tag(let tag, _) = scope.target { tag } else { nil }
        }
    }
}

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
