import CacheModel
import Testing

@Suite struct ScopeTests {
    private static func targets() throws -> [(name: String, target: Scope.Target)] {
        [
            ("key", .key(try #require(CacheKey("k")), in: .default)),
            ("tag", .tag(try #require(Tag("t")), in: .default)),
            ("prefix", .prefix([0x70], in: .default)),
            ("namespace", .namespace(.default)),
            ("everything", .everything),
        ]
    }

    @Test func aMinimumVersionBelongsToKeysAndARangeToAllOthers() throws {
        for (name, target) in try Self.targets() {
            let isKey = name == "key"
            #expect(Scope(target).isMeaningful, "\(name)")
            #expect(
                Scope(target, minimumVersion: Version(1)).isMeaningful == isKey,
                "\(name) with a minimum version")
            #expect(
                Scope(target, hashRange: 0...1).isMeaningful == !isKey, "\(name) with a hash range")
            #expect(
                !Scope(target, minimumVersion: Version(1), hashRange: 0...1).isMeaningful,
                "\(name) with both")
        }
    }

    @Test(arguments: [(0, false), (1, true), (4_096, true), (4_097, false)])
    func aPrefixHasOneTo4096Bytes(length: Int, isMeaningful: Bool) {
        let bytes = [UInt8](repeating: 0, count: length)
        #expect(Scope(.prefix(bytes, in: .default)).isMeaningful == isMeaningful)
        #expect(
            Scope(.prefix(bytes, in: .default), hashRange: 0 ... .max).isMeaningful == isMeaningful)
    }

    @Test func aScopeIsSaidAsPeopleSayIt() throws {
        let said = try Self.targets().map { Scope($0.target).description }
        #expect(said == ["key k", "tag t", "prefix p", "namespace default", "everything"])
        let images = try #require(Namespace("images"))
        let key = try #require(CacheKey("a"))
        #expect(Scope(.key(key, in: images)).description == "key a in images")
        #expect(Scope(.prefix([0x61], in: images)).description == "prefix a in images")
    }
}
