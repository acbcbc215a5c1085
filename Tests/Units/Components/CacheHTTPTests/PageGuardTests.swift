import Testing

@testable import CacheHTTP

@Suite struct PageGuardTests {
    private static func kind(
        _ method: String, _ authority: String?, _ fields: FieldList = FieldList(),
        isOpen: Bool = true, isTokenAsked: Bool = false
    ) -> ProblemKind? {
        do throws(Problem) {
            let head = RequestHead(method, "/v1/n/k", fields, authority: authority)
            try PageGuard.check(head, isOpen: isOpen, isTokenAsked: isTokenAsked)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:80", "127.0.0.1", "127.255.0.9:7480", "[::1]", "[::1]:7480",
        "localhost.",
    ])
    func ownNamesAreAnsweredTo(authority: String) {
        #expect(Self.kind("PUT", authority) == nil)
    }

    @Test(arguments: [
        "example.com", "example.com:7480", "127.0.0.1.example.com", "128.0.0.1", "127.0.0",
        "127.0.0.256", "127.0.0.+1", "127.-0.0.1", "[::2]", "localhost.example.com", "",
        "0.0.0.0",
    ])
    func anOpenGatewayKnowsNoOtherName(authority: String) {
        #expect(Self.kind("GET", authority) == .misdirected)
        #expect(Self.kind("GET", authority, isOpen: false) == nil)
    }

    @Test(arguments: [
        "[::1", "[::1].evil", "[::1]evil", "[::1]7480", "localhost:abc", "localhost:80:90",
        "localhost:65536", "localhost:-1", "a b", "a/b", "user@localhost", "[evil]", "\u{E9}",
    ])
    func whatIsNoHostIsRefusedByEveryGateway(authority: String) {
        #expect(Self.kind("GET", authority) == .misdirected)
        #expect(Self.kind("GET", authority, isOpen: false) == .malformedField)
        #expect(!PageGuard.isLoopback(authority))
    }

    @Test(
        arguments: [
            ("localhost", "localhost", nil), ("localhost:", "localhost", nil),
            ("[fe80::1%25a]:80", "[fe80::1%25a]", 80), ("a-b_c.d~%20:65535", "a-b_c.d~%20", 65_535),
            ("", "", nil),
        ] as [(String, String, UInt16?)])
    func aHostIsANameAndPerhapsAPort(text: String, name: String, port: UInt16?) throws {
        let found = try #require(HostText(text))
        #expect(String(found.name) == name && found.port == port)
    }

    @Test(arguments: [
        ("http://localhost/v1/n/k", nil), ("http://localhost:7480", nil),
        ("http://example.com/v1/n/k", ProblemKind.misdirected),
        ("https://example.com?localhost", .misdirected),
        ("http://localhost@example.com/v1/n/k", .misdirected), ("http:///v1/n/k", .misdirected),
    ])
    func aWholeURLNamesItsHostAndTheFieldDoesNot(target: String, kind: ProblemKind?) {
        var found: ProblemKind?
        do throws(Problem) {
            try PageGuard.check(
                RequestHead("GET", target, authority: "localhost"), isOpen: true,
                isTokenAsked: false)
        } catch {
            found = error.kind
        }
        #expect(found == kind)
    }

    @Test(arguments: ["PUT", "DELETE", "POST", "PURGE", "PATCH"])
    func aPageOfAnotherOriginChangesNothing(method: String) {
        let host = "localhost:7480"
        for isOpen in [true, false] {
            func kind(_ name: String, _ value: String) -> ProblemKind? {
                Self.kind(method, host, FieldList([name: value]), isOpen: isOpen)
            }
            #expect(kind("Origin", "http://localhost:7480") == nil)
            #expect(kind("Origin", "https://localhost:7480") == nil)
            #expect(kind("Sec-Fetch-Site", "same-origin") == nil)
            #expect(kind("Sec-Fetch-Site", "none") == nil)
            for origin in ["http://localhost", "http://evil.example", "null", "localhost:7480"] {
                #expect(kind("Origin", origin) == .foreignPage, "\(origin)")
            }
            #expect(kind("Sec-Fetch-Site", "cross-site") == .foreignPage)
            #expect(kind("Sec-Fetch-Site", "same-site") == .foreignPage)
        }
    }

    @Test func aNonLoopbackGatewayAcceptsOnlySameOriginRequests() {
        let own = FieldList(["Origin": "http://cache.example:7480"])
        let foreign = FieldList(["Origin": "http://evil.example"])
        #expect(Self.kind("PUT", "cache.example:7480", own, isOpen: false) == nil)
        #expect(
            Self.kind("PUT", "cache.example:7480", foreign, isOpen: false) == .foreignPage)
    }

    @Test func aForeignOriginMayGetWhereATokenIsRequired() {
        let fields = FieldList(["Origin": "http://evil.example"])
        #expect(Self.kind("GET", "localhost", fields, isTokenAsked: true) == nil)
    }

    private static let site = "Sec-Fetch-Site"

    @Test(arguments: ["GET", "HEAD"])
    func whereNoTokenIsAskedAPageOfAnotherSiteReadsNothing(method: String) {
        let crossSite = [
            FieldList([Self.site: "cross-site"]),
            FieldList([Self.site: "cross-site", "Sec-Fetch-Dest": "image"]),
            FieldList([
                Self.site: "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe",
            ]),
            FieldList(["Origin": "http://evil.example"]), FieldList(["Origin": "null"]),
            FieldList(["Origin": "http://localhost.evil.example"]),
        ]
        for (isOpen, fields) in [true, false].flatMap({ isOpen in crossSite.map { (isOpen, $0) } })
        {
            let kind = Self.kind(method, "localhost:7480", fields, isOpen: isOpen)
            #expect(kind == .foreignPage, "\(fields)")
        }
    }

    @Test func whereNoTokenIsAskedOwnPagesAndLinksAndProgramsRead() {
        for fields in [
            FieldList(), FieldList([Self.site: "same-origin"]), FieldList([Self.site: "none"]),
            FieldList([Self.site: "same-site", "Origin": "http://localhost:3000"]),
            FieldList([
                Self.site: "cross-site", "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "document",
            ]),
        ] {
            #expect(Self.kind("GET", "localhost:7480", fields) == nil, "\(fields)")
        }
    }
}
