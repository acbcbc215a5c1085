import ByteCoding
import CacheAccess
import CacheModel
import Testing

/// The two laws of what a part of the invalidations shows, over every pair of patterns, every
/// scope and every key of a small world: nothing is missed, and nothing leaks.
@Suite struct VisibleScopesTests {
    private struct Key {
        let namespace: Namespace
        let bytes: [UInt8]
        let route: UInt64

        init(namespace: Namespace, bytes: [UInt8]) {
            self.namespace = namespace
            self.bytes = bytes
            route = Array(namespace.name.utf8).withUnsafeBytes { name in
                bytes.withUnsafeBytes { StableHash.route(name, $0) }
            }
        }
    }

    /// A scope, and of each key, without and with the tag, whether it covers that.
    private struct Judged {
        let scope: Scope
        let covers: [Bool]
        let coversTagged: [Bool]

        init(_ scope: Scope, _ keys: [Key]) {
            self.scope = scope
            covers = keys.map { VisibleScopesTests.covers(scope, $0, isTagged: false) }
            coversTagged = keys.map { VisibleScopesTests.covers(scope, $0, isTagged: true) }
        }
    }

    private static let patterns = [
        "*", "a", "ab", "a*", "ab*", "b", "a/x", "a/y", "a/xx", "a/xy", "a/xyx", "ab/x", "ab/yy",
    ]
    private static let half: ClosedRange<UInt64> = 0...UInt64.max / 2

    /// Strings of one to three of x and y.
    private static let names: [[UInt8]] = {
        let letters = [UInt8(ascii: "x"), UInt8(ascii: "y")]
        var names = letters.map { [$0] }
        for length in 2...3 {
            names += names.filter { $0.count == length - 1 }
                .flatMap { name in letters.map { name + [$0] } }
        }
        return names
    }()

    private static func namespaces() throws -> [Namespace] {
        try ["a", "ab", "c"].map { try #require(Namespace($0)) }
    }

    private static func keys() throws -> [Key] {
        try namespaces().flatMap { space in names.map { Key(namespace: space, bytes: $0) } }
    }

    private static func scopes() throws -> [Scope] {
        var targets: [Scope.Target] = [.everything]
        var scopes: [Scope] = []
        for space in try namespaces() {
            targets += [.namespace(space), .tag(try #require(Tag("t")), in: space)]
            targets += names.map { .prefix($0, in: space) }
            scopes += try names.map {
                let key = try #require(CacheKey(bytes: $0))
                return Scope(.key(key, in: space), minimumVersion: Version(7))
            }
        }
        return scopes + targets.flatMap { [Scope($0), Scope($0, hashRange: half)] }
    }

    private static func entry(_ patterns: [String], roles: String = "read") throws -> AccessEntry {
        let key = String(repeating: "1", count: 64)
        let list = try AccessList(parsing: "web \(key) \(roles) \(patterns.joined(separator: ","))")
        return try #require(list.entries.first)
    }

    /// What a pattern says, read in another way than the code reads it.
    private static func isReadable(_ key: Key, by pattern: String) -> Bool {
        let parts = pattern.split(separator: "/", maxSplits: 1).map(String.init)
        let name = key.namespace.name
        if parts.count == 2 {
            return name == parts[0] && key.bytes.starts(with: Array(parts[1].utf8))
        }
        if pattern.hasSuffix("*") { return name.hasPrefix(String(pattern.dropLast())) }
        return name == pattern
    }

    private static func covers(_ scope: Scope, _ key: Key, isTagged: Bool) -> Bool {
        if let range = scope.hashRange, !range.contains(key.route) { return false }
        return switch scope.target {
        case .key(let name, let space): space == key.namespace && name.bytes == key.bytes
        case .prefix(let bytes, let space):
            space == key.namespace && key.bytes.starts(with: bytes)
        case .tag(_, let space): space == key.namespace && isTagged
        case .namespace(let space): space == key.namespace
        case .everything: true
        }
    }

    private static func isEverything(_ scope: Scope) -> Bool {
        if case .everything = scope.target { true } else { false }
    }

    @Test func nothingIsMissedAndNothingLeaks() throws {
        let keys = try Self.keys()
        let scopes = try Self.scopes().map { Judged($0, keys) }
        var checked = 0
        for first in Self.patterns {
            for second in Self.patterns {
                let entry = try Self.entry([first, second])
                let readable = keys.map {
                    Self.isReadable($0, by: first) || Self.isReadable($0, by: second)
                }
                for judged in scopes {
                    let scope = judged.scope
                    let shown = entry.visible(of: [scope])
                    var fault = Self.fault(judged, shown, keys, readable)
                    if entry.sees(scope) == shown.isEmpty { fault = "sees what is not shown" }
                    if let fault {
                        Issue.record("\(first),\(second): \(scope) shown as \(shown): \(fault)")
                    }
                    checked += 1
                }
            }
        }
        #expect(checked > 20_000)
    }

    private static func fault(
        _ judged: Judged, _ shown: [Scope], _ keys: [Key], _ readable: [Bool]
    ) -> String? {
        for (place, key) in keys.enumerated() {
            for isTagged in [false, true] {
                let isCovered = (isTagged ? judged.coversTagged : judged.covers)[place]
                let (isShown, leaks) = showing(shown, key, isTagged: isTagged)
                if readable[place] && isCovered && !isShown { return "missed \(key)" }
                if leaks && !readable[place] { return "leaked \(key)" }
            }
        }
        let isAll = isEverything(judged.scope)
        for one in shown where isEverything(one) != isAll { return "\(one)" }
        for one in shown {
            // A tag's name is told only where every key that it may be on may be read.
            guard case .tag(_, let space) = one.target else { continue }
            for (place, key) in keys.enumerated() where key.namespace == space && !readable[place] {
                return "named \(one)"
            }
        }
        return nil
    }

    /// Whether what is shown covers a key, and whether anything but the scope of everything does.
    private static func showing(
        _ shown: [Scope], _ key: Key, isTagged: Bool
    ) -> (isShown: Bool, leaks: Bool) {
        var isShown = false
        for one in shown where covers(one, key, isTagged: isTagged) {
            if !isEverything(one) { return (true, true) }
            isShown = true
        }
        return (isShown, false)
    }

    @Test func aVersionAndAPartByHashesStay() throws {
        let space = try #require(Namespace("a"))
        let key = Scope(
            .key(try #require(CacheKey("xy")), in: space), minimumVersion: Version(7))
        let tag = Scope(.tag(try #require(Tag("t")), in: space), hashRange: Self.half)
        let own = Scope(.prefix(Array("x".utf8), in: space), hashRange: Self.half)
        #expect(try Self.entry(["a/x"]).visible(of: [key, tag]) == [key, own])
    }

    @Test func whatIsNarrowedIsSaidOnceAndInItsShortestForm() throws {
        let space = try #require(Namespace("a"))
        let tags = try (0..<100).map { Scope(.tag(try #require(Tag("t\($0)")), in: space)) }
        let shown = try Self.entry(["a/xy", "a/x", "a/y", "a/xx"]).visible(of: tags)
        #expect(
            shown == ["x", "y"].map { Scope(.prefix(Array($0.utf8), in: space)) })
    }

    @Test func whatWouldBeTooLongSaysEverything() throws {
        let space = try #require(Namespace("a"))
        let patterns = (10..<20).map { "a/\($0)" + String(repeating: "k", count: 4_000) }
        let tag = Scope(.tag(try #require(Tag("t")), in: space))
        #expect(try Self.entry(patterns).visible(of: [tag]) == [Scope(.everything)])
        // Many parts of few keys are as bad.
        let parts = (0..<1_000).map {
            Scope(.namespace(space), hashRange: UInt64($0)...UInt64($0))
        }
        #expect(try Self.entry(["a/x", "a/y"]).visible(of: parts) == [Scope(.everything)])
        #expect(try Self.entry(["a/x"]).visible(of: parts).count == 1_000)
    }

    @Test func otherRolesSeeAllOrNothing() throws {
        let scopes = try Self.scopes()
        for roles in ["node", "relay", "admin", "read"] {
            let entry = try Self.entry(["*"], roles: roles)
            #expect(entry.mayWatch && entry.visible(of: scopes) == scopes)
        }
        for roles in ["write", "invalidate", "metrics"] {
            let entry = try Self.entry(["*"], roles: roles)
            #expect(!entry.mayWatch && entry.visible(of: scopes).isEmpty)
            #expect(!scopes.contains(where: entry.sees))
        }
    }
}
