import CacheModel

@testable import CacheAccess

/// What of an invalidation somebody is shown: all that covers what they may read, and nothing that
/// names what they may not.
extension AllowListFuzz {
    static func look(_ entry: AccessEntry, _ bytes: [UInt8]) {
        guard let key = CacheKey(bytes: bytes) else { return }
        for name in ["default", "team-a", "sessions"] {
            guard let namespace = Namespace(name) else { continue }
            let scopes = scopes(around: key, in: namespace)
            let shown = entry.visible(of: scopes)
            check(shown.count <= InvalidationRecord.scopesMax, "a record has so many scopes")
            for scope in scopes where entry.visible(of: [scope]).isEmpty {
                check(!entry.sees(scope), "who sees a scope is shown something of it")
            }
            if entry.may(.read, keysBeginning: key.bytes, in: name.utf8) {
                let isCovered = shown.contains { covers($0, key, namespace) }
                check(isCovered, "what covers a key is shown to whom may read it")
            }
            for scope in shown where !entry.mayFollowLog { judge(scope, for: entry) }
        }
    }

    /// A key, some beginnings of it, and what is wider.
    private static func scopes(around key: CacheKey, in namespace: Namespace) -> [Scope] {
        let half = Array(key.bytes.prefix(max(1, key.bytes.count / 2)))
        var scopes = [
            Scope(.key(key, in: namespace)), Scope(.prefix(half, in: namespace)),
            Scope(.namespace(namespace)),
        ]
        if let tag = Tag("news") { scopes.append(Scope(.tag(tag, in: namespace))) }
        return scopes
    }

    private static func covers(_ scope: Scope, _ key: CacheKey, _ namespace: Namespace) -> Bool {
        switch scope.target {
        case .key(let other, let room): other == key && room == namespace
        case .prefix(let bytes, let room): key.bytes.starts(with: bytes) && room == namespace
        case .namespace(let room): room == namespace
        case .everything: true
        case .tag: false
        }
    }

    private static func judge(_ scope: Scope, for entry: AccessEntry) {
        if case .everything = scope.target { return }
        check(entry.may(.read, with: scope), "nothing is named to whom may not read it")
    }
}
