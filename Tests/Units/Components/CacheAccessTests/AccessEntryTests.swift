import ByteCoding
import CacheModel
import Testing

@testable import CacheAccess

/// What an entry may do, compared with a naive answer over a small world.
@Suite struct AccessEntryTests {
    /// A right as the naive answer sees it: a pattern's text against names and keys as text.
    private struct Naive {
        let pattern: String

        func coversAll(_ namespace: String) -> Bool {
            if pattern.contains("/") { return false }
            guard pattern.hasSuffix("*") else { return pattern == namespace }
            return (namespace + "\u{0}").hasPrefix(String(pattern.dropLast()))
        }

        func covers(_ beginning: String, _ namespace: String) -> Bool {
            let parts = pattern.split(separator: "/", maxSplits: 1)
            guard parts.count == 2 else { return coversAll(namespace) }
            return parts[0] == namespace && beginning.hasPrefix(parts[1])
        }
    }

    private static let namespaces = ["default", "team-a", "team-", "team", "a"]
    private static let beginnings = ["k", "ke", "key", "key:1", "x", "default"]
    private static let patterns = [
        "*", "default", "team*", "team-*", "team-a", "a", "a*", "default/k", "default/key",
        "team-a/key:1", "team/x", "a/key:12",
    ]
    private static let roles = ["read", "write", "invalidate", "metrics", "admin", "relay"]
    private static let wanted: [AccessRights] =
        (0..<7).map { AccessRights(rawValue: 1 << $0) }
        + [[.read, .node], [.write, .invalidate], [.read, .invalidate], []]

    private static func bytes<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        Array(text.utf8).withUnsafeBytes(body)
    }

    /// One and two patterns, each in every order.
    private static var pairs: [[String]] {
        patterns.map { [$0] } + patterns.flatMap { left in patterns.map { [left, $0] } }
    }

    @Test(arguments: roles)
    func everyQuestionIsAnsweredAsTheTextOfThePatternsSays(role: String) throws {
        for patterns in Self.pairs {
            let entry = try Sample.entry("\(role) \(patterns.joined(separator: ","))")
            let naive = patterns.map { Naive(pattern: $0) }
            for wanted in Self.wanted {
                let has = !entry.rights.isDisjoint(with: wanted)
                #expect(entry.mayEverywhere(wanted) == (has && patterns.contains("*")))
                for namespace in Self.namespaces {
                    let all = has && naive.contains { $0.coversAll(namespace) }
                    #expect(entry.may(wanted, inAllOf: namespace.utf8) == all)
                    Self.bytes(namespace) { #expect(entry.may(wanted, inAllOf: $0) == all) }
                    for beginning in Self.beginnings {
                        let covers = has && naive.contains { $0.covers(beginning, namespace) }
                        #expect(
                            entry.may(wanted, keysBeginning: beginning.utf8, in: namespace.utf8)
                                == covers, "\(role) \(patterns) \(beginning) \(namespace)")
                        let raw = Self.bytes(namespace) { name in
                            Self.bytes(beginning) { key in
                                entry.may(wanted, keysBeginning: key, in: name)
                            }
                        }
                        #expect(raw == covers)
                    }
                }
            }
        }
    }

    @Test(arguments: roles)
    func aScopeIsAllowedIfAllThatItCoversIs(role: String) throws {
        for patterns in Self.pairs {
            let entry = try Sample.entry("\(role) \(patterns.joined(separator: ","))")
            let naive = patterns.map { Naive(pattern: $0) }
            for wanted in Self.wanted {
                let has = !entry.rights.isDisjoint(with: wanted)
                #expect(entry.may(wanted, with: Scope(.everything)) == entry.mayEverywhere(wanted))
                for name in Self.namespaces {
                    let namespace = try Sample.namespace(name)
                    let all = has && naive.contains { $0.coversAll(name) }
                    let tag = try #require(Tag("k"))
                    #expect(entry.may(wanted, with: Scope(.tag(tag, in: namespace))) == all)
                    #expect(entry.may(wanted, with: Scope(.namespace(namespace))) == all)
                    for text in Self.beginnings {
                        let covers = has && naive.contains { $0.covers(text, name) }
                        let key = try #require(CacheKey(text))
                        let bytes = Array(text.utf8)
                        #expect(entry.may(wanted, with: Scope(.key(key, in: namespace))) == covers)
                        #expect(
                            entry.may(wanted, with: Scope(.prefix(bytes, in: namespace))) == covers)
                    }
                }
            }
        }
    }

    @Test func invalidatingAHashRangeRequiresAccessToTheWholeNamespace() throws {
        let half = Scope(.namespace(.default), hashRange: 0...1)
        #expect(try !Sample.entry("invalidate default/k").may(.invalidate, with: half))
        #expect(try Sample.entry("invalidate default").may(.invalidate, with: half))
    }

    @Test func onlyNodesRelaysAndUnrestrictedReadersMayFollowTheLog() throws {
        for role in ["node", "relay", "read", "admin"] {
            #expect(try Sample.entry(role).mayFollowLog, "\(role)")
        }
        #expect(try Sample.entry("relay a").mayFollowLog)
        #expect(try Sample.entry("read a,*").mayFollowLog)
        for rest in ["write", "invalidate", "metrics", "read default", "admin a*", "read a/k,b"] {
            #expect(try !Sample.entry(rest).mayFollowLog, "\(rest)")
        }
    }

    @Test func withoutAPatternAnEntryIsAboutEverything() throws {
        let entry = try Sample.entry("read")
        #expect(entry.mayEverywhere(.read) && !entry.mayEverywhere(.write))
        #expect(try entry == Sample.entry("read *"))
    }
}
