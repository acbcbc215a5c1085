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
            wait = try Wait(rawValue: text)
                .or(.malformedField, "\(Self.waitField) is none, quorum or all")
        }
        isSoft = try fields.flag(Self.softField) ?? false
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
        var scopes = try members.names("keys", upTo: CacheKey.bytesMax) { CacheKey(bytes: $0) }
            .map { Scope(.key($0, in: namespace), minimumVersion: minimum) }
        guard minimum == nil || !scopes.isEmpty else {
            throw Problem(.malformedBody, "min_version is for keys")
        }
        scopes += try members.names("tags", upTo: Tag.bytesMax) { Tag(bytes: $0) }
            .map { Scope(.tag($0, in: namespace)) }
        scopes += try members.names("prefixes", upTo: CacheKey.bytesMax) {
            (1...CacheKey.bytesMax).contains($0.count) ? $0 : nil
        }.map { Scope(.prefix($0, in: namespace)) }
        scopes += try members.namespaces().map { Scope(.namespace($0)) }
        if try members.flag("everything") { scopes.append(Scope(.everything)) }
        self.init(scopes)
        isSoft = try members.flag("soft")
        isDryRun = try members.flag("dry_run")
        if let word = try members.text("wait") {
            wait = try Wait(rawValue: word).or(.malformedBody, "wait is none, quorum or all")
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
