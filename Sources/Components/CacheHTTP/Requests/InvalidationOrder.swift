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
