import ByteCoding
import CacheModel
import Testing

@testable import CacheHTTP

@Suite struct ResourceTests {
    private static func entry(_ namespace: String, _ key: [UInt8]) throws -> Resource {
        .entry(try #require(Namespace(namespace)), try #require(CacheKey(bytes: key)))
    }

    private static func kind(_ target: String) -> ProblemKind? {
        do throws(Problem) {
            _ = try Resource(target: target)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: [
        ("/v1/images/a", "a"), ("/v1/images/a/b/", "a/b/"), ("/v1/images/a%2Fb", "a/b"),
        ("/v1/images//", "/"), ("/v1/images/a+b", "a+b"), ("/v1/images/%3F%23", "?#"),
        ("/v1/images/a:batch", "a:batch"), ("http://host:80/v1/images/a", "a"),
        ("https://host/v1/images/a", "a"), ("/v1/images/..", ".."), ("/v1/im%61ges/a", "a"),
    ])
    func aKeyIsTheRestOfThePath(target: String, key: String) throws {
        #expect(try Resource(target: target) == Self.entry("images", Array(key.utf8)))
    }

    @Test func everyByteMayStandInAKey() throws {
        for byte in UInt8.min...UInt8.max {
            let path = PercentEncoding.path([byte, byte])
            #expect(path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3F })
            #expect(try Resource(target: "/v1/n/\(path)") == Self.entry("n", [byte, byte]))
            let digits = String(byte, radix: 16)
            let encoded = "%\(digits.count == 1 ? "0" : "")\(digits)"
            #expect(try Resource(target: "/v1/n/\(encoded)") == Self.entry("n", [byte]))
        }
    }

    @Test func everyByteOfATargetIsTakenOrRefused() throws {
        for byte in UInt8.min..<0x80 {
            let target = "/v1/n/" + String(decoding: [byte], as: UTF8.self)
            let isVisible = (0x21...0x7E).contains(byte)
            let isSpecial = [UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%")].contains(byte)
            #expect(Self.kind(target) == (isVisible && !isSpecial ? nil : .malformedTarget))
        }
        #expect(Self.kind("/v1/n/ä") == .malformedTarget)
    }

    @Test(arguments: [
        "/v1/n/%", "/v1/n/%a", "/v1/n/%0g", "/v1/n/a%", "/v1/n/", "/v1//a", "/v1/a b/c",
        "/v1/n%2Fm/a", "/v1/", "/v1/%zz", "/v1/:batch", "/v1/n/a?b=c", "/v1/n?", "/v1/n/a#b",
        "/v1/explain/", "/v1/explain/n", "/v1/explain/n/", "/v1/n:other",
    ])
    func whatIsNoPathIsMalformed(target: String) {
        #expect(Self.kind(target) == .malformedTarget)
    }

    @Test(arguments: ["", "/", "/v1", "/v2/n/a", "*", "http://host", "/V1/n/a", "v1/n/a"])
    func whatLiesElsewhereIsUnknown(target: String) {
        #expect(Self.kind(target) == .unknownRoute)
    }

    @Test func aKeyHasItsBounds() throws {
        let longest = String(repeating: "%41", count: CacheKey.bytesMax)
        #expect(Self.kind("/v1/n/\(longest)") == nil)
        #expect(Self.kind("/v1/n/\(longest)a") == .malformedTarget)
        let name = String(repeating: "n", count: Namespace.bytesMax)
        #expect(Self.kind("/v1/\(name)/a") == nil)
        #expect(Self.kind("/v1/\(name)n/a") == .malformedTarget)
    }

    @Test func theOthersHavePathsOfTheirOwn() throws {
        let name = try #require(Namespace("n"))
        let key = try #require(CacheKey("a/b"))
        #expect(try Resource(target: "/v1/n") == .namespace(name))
        #expect(try Resource(target: "/v1/n:batch") == .batch(name))
        #expect(try Resource(target: "/v1/invalidate") == .invalidations)
        #expect(try Resource(target: "/v1/explain/n/a/b") == .explanation(name, key))
        #expect(try Resource(target: "/v1/cluster") == .cluster)
        #expect(try Resource(target: "/v1/openapi.json") == .document)
        #expect(try Resource(target: "/v1/openapi-3.1.json") == .olderDocument)
        // Their names are those of namespaces, too, where a key follows.
        #expect(try Resource(target: "/v1/cluster/a") == Self.entry("cluster", Array("a".utf8)))
        #expect(try Resource(target: "/v1/invalidate/a").shape == .entry)
    }
}
