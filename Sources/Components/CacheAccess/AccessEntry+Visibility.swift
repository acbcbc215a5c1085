package import CacheModel

/// What of an invalidation the holder of a key is shown: all that covers a key it may read, in
/// words that name nothing else. docs/decisions/0058 gives the reasons.
extension AccessEntry {
    /// All that decides what of an invalidation is shown. Tokens of one program differ in name,
    /// time and number, and show the same.
    package struct Visibility: Hashable, Sendable {
        private let seesAll: Bool
        private let mayRead: Bool
        package let patterns: Set<KeyPattern>

        fileprivate init(_ entry: AccessEntry) {
            seesAll = entry.mayFollowLog
            mayRead = entry.rights.contains(.read)
            patterns = Set(entry.patterns)
        }
    }

    package var visibility: Visibility { Visibility(self) }

    /// Most bytes of the names that narrowing adds to one record.
    private static let narrowedBytesMax = 32 << 10

    /// Whether the holder may follow what it may read.
    package var mayWatch: Bool { !rights.isDisjoint(with: [.read, .node, .relay]) }

    /// Whether anything of a scope is shown.
    ///
    /// - Complexity: a comparison of names for each pattern.
    package func sees(_ scope: Scope) -> Bool {
        guard !mayFollowLog else { return true }
        guard rights.contains(.read) else { return false }
        return isShownWhole(scope) || !narrowed(scope).isEmpty
    }

    /// What the scopes of one record are to the holder.
    ///
    /// Two laws: each key that it may read and that the record covers is covered by what is shown;
    /// and nothing of that, save *everything*, covers or names what it may not read.
    ///
    /// - Returns: at most ``InvalidationRecord/scopesMax``; none where it has nothing to see, and
    ///   *everything* where what is narrowed would be too long.
    /// - Complexity: a comparison of names for each scope and pattern.
    package func visible(of scopes: [Scope]) -> [Scope] {
        guard !mayFollowLog else { return scopes }
        guard rights.contains(.read) else { return [] }
        var shown: [Scope] = []
        var added: Set<Scope> = []
        var bytes = 0
        for scope in scopes {
            guard !isShownWhole(scope) else {
                shown.append(scope)
                continue
            }
            for part in narrowed(scope) where added.insert(part).inserted {
                if case .prefix(let beginning, _) = part.target { bytes += beginning.count }
                guard bytes <= Self.narrowedBytesMax else { return [Scope(.everything)] }
                shown.append(part)
            }
        }
        return shown.count <= InvalidationRecord.scopesMax ? shown : [Scope(.everything)]
    }

    private func isShownWhole(_ scope: Scope) -> Bool {
        if case .everything = scope.target { return true }
        return may(.read, with: scope)
    }

    /// The beginnings of its own keys that lie inside of a scope that it may not see whole.
    private func narrowed(_ scope: Scope) -> [Scope] {
        switch scope.target {
        case .key, .everything: []
        case .prefix(let bytes, let namespace):
            beginnings(in: namespace, within: bytes)
                .map { Scope(.prefix($0, in: namespace), hashRange: scope.hashRange) }
        case .tag(_, let namespace), .namespace(let namespace):
            beginnings(in: namespace, within: [])
                .map { Scope(.prefix($0, in: namespace), hashRange: scope.hashRange) }
        }
    }

    /// In their order, without those that lie inside of another.
    private func beginnings(in namespace: Namespace, within bytes: [UInt8]) -> [[UInt8]] {
        let found = patterns.compactMap { $0.beginning(in: namespace.name.utf8, within: bytes) }
        guard found.count > 1 else { return found }
        var kept: [[UInt8]] = []
        for beginning in found.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if let last = kept.last, beginning.starts(with: last) { continue }
            kept.append(beginning)
        }
        return kept
    }
}
