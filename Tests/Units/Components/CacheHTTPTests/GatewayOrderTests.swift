import ByteCoding
import CacheModel
import Testing

@testable import CacheHTTP

@Suite struct GatewayOrderTests {
    private static func problem(_ head: RequestHead) -> Problem? {
        do throws(Problem) {
            _ = try GatewayOrder(head)
            return nil
        } catch {
            return error
        }
    }

    /// A path of each kind.
    private static func path(_ shape: ResourceShape) -> String {
        shape.rawValue.replacing("{namespace}", with: "n").replacing("{key}", with: "k")
    }

    @Test(arguments: ResourceShape.allCases)
    func eachResourceHasItsMethodsAndNamesThemToOthers(shape: ResourceShape) throws {
        #expect(try Resource(target: Self.path(shape)).shape == shape)
        let methods = GatewayMethod.allCases.map(\.rawValue) + ["PATCH", "OPTIONS", "get", "BREW"]
        for method in methods {
            // Tags are named where they are the order.
            let fields = shape == .entry ? FieldList() : FieldList(["Surrogate-Key": "a"])
            let problem = Self.problem(RequestHead(method, Self.path(shape), fields))
            if shape.methods.map(\.rawValue).contains(method) {
                #expect(problem == nil)
            } else {
                #expect(problem?.kind == .methodNotAllowed)
                let allowed = shape.methods.map(\.rawValue).joined(separator: ", ")
                #expect(problem?.fields["Allow"] == allowed)
            }
        }
    }

    @Test func aGetCarriesItsTermsAndConditions() throws {
        let order = try GatewayOrder(
            RequestHead(
                "GET", "/v1/n/k",
                FieldList([
                    "martlet-at-least": "3:1042", "CACHE-CONTROL": "Max-Age=7, max-stale=\"9\"",
                    "If-None-Match": "\"a\", W/\"b\"", "If-Match": "*",
                ])))
        guard case .read(let read) = order else {
            Issue.record("\(order)")
            return
        }
        #expect(read.terms.atLeast == LogPosition("3:1042"))
        #expect(read.terms.maxAge == .seconds(7))
        #expect(read.terms.staleness == .upTo(.seconds(9)))
        #expect(!read.terms.isFresh && !read.terms.isOnlyIfCached)
        #expect(read.conditions.ifMatch == .anything)
        #expect(
            read.conditions.ifNoneMatch
                == .tags([EntityTag(Array("a".utf8)), EntityTag(isWeak: true, Array("b".utf8))]))
    }

    @Test(arguments: [
        ("no-cache", true, false, CacheDirectives.Staleness?.none),
        ("only-if-cached, foo=\"bar\", no-transform", false, true, nil),
        ("max-stale", false, false, .any), (" , no-cache ,", true, false, nil),
        ("max-stale=0", false, false, .upTo(.zero)), ("", false, false, nil),
    ])
    func directivesOfAReadAreTold(
        text: String, isFresh: Bool, isOnlyIfCached: Bool, staleness: CacheDirectives.Staleness?
    ) throws {
        let terms = try ReadTerms(FieldList(["Cache-Control": text]))
        #expect(terms.isFresh == isFresh)
        #expect(terms.isOnlyIfCached == isOnlyIfCached)
        #expect(terms.staleness == staleness)
    }

    @Test(arguments: [
        ("GET", "Cache-Control", "max-age"), ("GET", "Cache-Control", "max-age=-1"),
        ("GET", "Cache-Control", "max-age=1.5"), ("GET", "Cache-Control", "max-stale=x"),
        ("GET", "Cache-Control", "no-cache, max-stale"), ("GET", "Martlet-At-Least", "soon"),
        ("GET", "Martlet-At-Least", "1:2:3"), ("GET", "If-Match", "a"), ("GET", "If-Match", ""),
        ("GET", "If-None-Match", "\"a\" \"b\""), ("GET", "If-None-Match", "\"a"),
        ("PUT", "Martlet-TTL", "0"), ("PUT", "Martlet-TTL", "soon"), ("PUT", "Martlet-TTL", "-1"),
        ("PUT", "Martlet-TTL", "9223372036854775807"), ("PUT", "Martlet-Version", "0"),
        ("PUT", "Martlet-Version", "+1"), ("PUT", "Martlet-Version", "v1"),
        ("PUT", "Martlet-Version", "01"), ("PUT", "Martlet-TTL", "+5"),
        ("PUT", "Martlet-TTL", "007"), ("PUT", "Martlet-TTL", "3153600000001"),
        ("PUT", "Cache-Control", "max-age=3153600001"),
        ("PUT", "Surrogate-Key", "gr\u{F6}\u{DF}e"),
        ("PUT", "ETag", "v1"), ("PUT", "ETag", "\"ä\""), ("PUT", "ETag", "*"),
        ("PUT", "Cache-Control", "no-store"), ("PUT", "Cache-Control", "max-age=0"),
        ("PUT", "Cache-Control", "no-cache"), ("PUT", "Content-Range", "bytes 0-1/2"),
        ("PUT", "Surrogate-Key", "a%"), ("PUT", "Surrogate-Key", "%zz"),
        ("PUT", "Cache-Groups", "news"), ("PUT", "Cache-Groups", "\"a\","),
        ("PUT", "Cache-Groups", "\"\""), ("PURGE", "Martlet-Wait", "ever"),
        ("PURGE", "Martlet-Soft", "yes"), ("DELETE", "If-Match", "W/a"),
        ("PUT", "Content-Type", "text/é"), ("PUT", "Content-Encoding", "a\u{1}"),
        ("PUT", "Content-Language", "de\r\nX: y"),
        ("PUT", "Content-Type", String(repeating: "a", count: 256)),
    ])
    func aFieldThatCannotBeReadIsNamed(method: String, name: String, value: String) {
        let head = RequestHead(method, "/v1/n/k", FieldList([name: value]))
        let problem = Self.problem(head)
        #expect(problem?.kind == .malformedField, "\(problem?.detail ?? "taken")")
        #expect(problem?.detail.isEmpty == false)
    }

    @Test func aPutCarriesEverythingThatIsKept() throws {
        let order = try StoreOrder(
            try #require(Namespace("n")), try #require(CacheKey("k")),
            FieldList([
                "Martlet-TTL": "1500", "Cache-Control": "max-age=9", "Martlet-Version": "42",
                "ETag": "W/\"v 42\"".replacing(" ", with: "-"),
                "Surrogate-Key": "news front%20page",
                "Cache-Groups": "\"news\", \"a \\\"b\\\"\";x=1",
            ]))
        #expect(order.lifetime == .after(.milliseconds(1_500)))
        #expect(order.version == Version(42))
        #expect(order.etag == Validator("W/\"v-42\""))
        #expect(order.tags == ["news", "front page", "a \"b\""].compactMap { Tag($0) })
    }

    @Test func aPutSaysWhatItsBytesAre() throws {
        func order(_ fields: KeyValuePairs<String, String>) throws -> StoreOrder {
            try StoreOrder(
                try #require(Namespace("n")), try #require(CacheKey("k")), FieldList(fields))
        }
        let said = try order([
            "content-type": "image/png", "Content-Encoding": "gzip", "Content-Language": "de, en",
        ]).representation
        #expect(said.contentType?.text == "image/png")
        #expect(said.contentEncoding?.text == "gzip" && said.contentLanguage?.text == "de, en")
        let nothing = try order(["Content-Type": "", "Content-Encoding": "Identity, identity"])
        #expect(nothing.representation.isEmpty)
        let coded = try order(["Content-Encoding": "identity,\tgzip", "Content-Encoding": "br"])
        #expect(coded.representation.contentEncoding?.text == "gzip, br")
        let same = try order(["Content-Type": "image/png", "content-type": "image/png"])
        #expect(same.representation.contentType?.text == "image/png")
    }

    @Test func aPutWithTwoTypesIsRefused() {
        let types = FieldList(["Content-Type": "image/png", "content-type": "text/html"])
        let problem = Self.problem(RequestHead("PUT", "/v1/n/k", types))
        #expect(problem?.kind == .malformedField)
        #expect(problem?.detail == "Content-Type is there more than once: send one")
    }

    @Test(arguments: [
        ("Martlet-TTL", "never", StoreOrder.Lifetime.never),
        ("Martlet-TTL", "3153600000000", .after(.seconds(3_153_600_000))),
        ("Cache-Control", "max-age=3153600000", .after(.seconds(3_153_600_000))),
        ("Cache-Control", "max-age=3", .after(.seconds(3))),
        ("Cache-Control", "max-age=3, s-maxage=4", .after(.seconds(4))),
        ("Cache-Control", "public", .namespaceDefault), ("X", "", .namespaceDefault),
    ])
    func aValueLivesAsLongAsItIsTold(
        name: String, value: String, lifetime: StoreOrder.Lifetime
    ) throws {
        let order = try StoreOrder(
            .default, try #require(CacheKey("k")), FieldList([name: value]))
        #expect(order.lifetime == lifetime)
    }

    @Test func aValueHasABoundedNumberOfTags() throws {
        let key = try #require(CacheKey("k"))
        let names = (1...65).map { "t\($0)" }
        for (count, isTaken) in [(64, true), (65, false)] {
            let text = names.prefix(count).joined(separator: " ")
            let fields = FieldList(["Surrogate-Key": text])
            do throws(Problem) {
                _ = try StoreOrder(.default, key, fields)
                #expect(isTaken)
            } catch {
                #expect(!isTaken && error.kind == .malformedField)
            }
        }
    }

    @Test func aPurgeNamesAKeyOrTags() throws {
        let name = try #require(Namespace("n"))
        let fields = FieldList([
            "surrogate-key": "a  b", "Martlet-Soft": "?1", "Martlet-Wait": "quorum",
        ])
        let key = try #require(CacheKey("k"))
        let terms = FieldList(["Martlet-Soft": "?1", "Martlet-Wait": "quorum"])
        guard case .purge(let one) = try GatewayOrder(RequestHead("PURGE", "/v1/n/k", terms)),
            case .purge(let many) = try GatewayOrder(RequestHead("PURGE", "/v1/n", fields))
        else {
            Issue.record("no purge")
            return
        }
        #expect(one.scopes == [Scope(.key(key, in: name))])
        #expect(one.isSoft && one.wait == .quorum && one.tags.isEmpty)
        #expect(many.scopes == ["a", "b"].compactMap { Tag($0) }.map { Scope(.tag($0, in: name)) })
        #expect(many.tags == ["a", "b"].compactMap { Tag($0) })
        for name in ["Surrogate-Key", "Cache-Groups"] {
            let both = Self.problem(RequestHead("PURGE", "/v1/n/k", FieldList([name: "\"a\""])))
            #expect(both?.kind == .malformedField && both?.detail.contains(name) == true)
        }
        let nothing = Self.problem(RequestHead("PURGE", "/v1/n"))
        #expect(nothing?.kind == .malformedField)
        #expect(nothing?.detail.contains("Surrogate-Key") == true)
    }
}
