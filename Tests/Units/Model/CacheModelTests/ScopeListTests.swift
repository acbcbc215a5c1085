import Testing

@testable import CacheModel

@Suite struct ScopeListTests {
    private static func key(_ name: String, in namespace: String = "default") throws -> Scope {
        Scope(.key(try #require(CacheKey(name)), in: try #require(Namespace(namespace))))
    }

    private static func everyKind() throws -> [Scope] {
        let tag = try #require(Tag("t"))
        var withVersion = try key("versioned")
        withVersion.minimumVersion = Version(7)
        return [
            try key("a"), try key("b", in: "images"), withVersion, Scope(.tag(tag, in: .default)),
            try key("c", in: "images"), Scope(.prefix([0x70], in: .default), hashRange: 3...9),
            try key("a"), Scope(.namespace(.default)), Scope(.everything),
        ]
    }

    @Test func aListSaysWhatItWasMadeOfInItsOrder() throws {
        let scopes = try Self.everyKind()
        for count in 0...scopes.count {
            let list = ScopeList(scopes.prefix(count))
            #expect(Array(list) == Array(scopes.prefix(count)))
            #expect(list.count == count)
        }
    }

    @Test func namesMayLieAnywhereAndTheListIsTheSame() throws {
        let bytes = Array("..abc".utf8)
        var read = ScopeList(keysIn: bytes, count: 2)
        let areAdded = [
            read.append(keyAt: 3, byteCount: 2, in: .default),
            read.append(keyAt: 2, byteCount: 1, in: .default),
        ]
        #expect(areAdded == [true, true])
        let made: ScopeList = [try Self.key("bc"), try Self.key("a")]
        #expect(read == made)
        #expect(read.hashValue == made.hashValue)
        #expect(read != [try Self.key("a"), try Self.key("bc")])
        // What is added to it does not move what it reads where it was.
        read.append(try Self.key("new"))
        #expect(Array(read) == [try Self.key("bc"), try Self.key("a"), try Self.key("new")])
    }

    @Test func plainKeysAreShownWhereTheyLieAndTheRestAsScopes() throws {
        let scopes = try Self.everyKind()
        var keys: [String] = []
        var others: [Scope] = []
        ScopeList(scopes).forEachItem { item in
            switch item {
            case .key(let name, let namespace):
                keys.append("\(namespace) \(String(decoding: name, as: UTF8.self))")
            case .other(let scope): others.append(scope)
            }
        }
        #expect(keys == ["default a", "images b", "images c", "default a"])
        #expect(others == [scopes[2], scopes[3], scopes[5], scopes[7], scopes[8]])
    }

    @Test func moreNamespacesThanHaveANumberAreKeptAllTheSame() throws {
        let scopes = try (0..<65_540).map { try Self.key("k", in: "n\($0)") }
        let list = ScopeList(scopes)
        #expect(list.count == scopes.count)
        #expect(list[65_534] == scopes[65_534])
        #expect(list[65_539] == scopes[65_539])
    }

    @Test func aListMeansSomethingIfEachScopeDoes() throws {
        let scopes = try Self.everyKind()
        #expect(ScopeList(scopes).isMeaningful)
        let wrong = Scope(.everything, minimumVersion: Version(1))
        #expect(!ScopeList(scopes + [wrong]).isMeaningful)
        var narrowed = try Self.key("a")
        narrowed.hashRange = 0...1
        #expect(!ScopeList([narrowed]).isMeaningful)
    }
}
