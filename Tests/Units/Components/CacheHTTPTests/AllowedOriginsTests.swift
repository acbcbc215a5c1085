import Testing

@testable import CacheHTTP

@Suite struct AllowedOriginsTests {
    private static let page = "https://app.example"

    private static func head(
        _ method: String, _ origin: String?, _ more: FieldList = FieldList(),
        _ target: String = "/v1/n/k"
    ) -> RequestHead {
        var fields = more
        if let origin { fields.append("Origin", origin) }
        return RequestHead(method, target, fields, authority: "cache.example")
    }

    private static func kind(_ body: () throws(Problem) -> Void) -> ProblemKind? {
        do throws(Problem) {
            try body()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: [
        "https://app.example", "http://localhost:3000", "http://[::1]:8080", "https://[::1]",
        "http://10.0.0.1", "*",
    ])
    func anOriginIsWrittenAsABrowserSendsIt(text: String) throws {
        #expect(try AllowedOrigins([text]).allows(text))
    }

    @Test(arguments: [
        "", "null", "app.example", "https://App.example", "https://app.example/", "https://",
        "ftp://app.example", "https://app.example:443", "http://app.example:80", "http://a:0x1",
        "https://a b", "https://*.example", "https://a:99999", "https://user@a", "http://a:080",
    ])
    func whatNoBrowserSendsIsNoOrigin(text: String) {
        #expect(throws: AllowedOrigins.Mistake.self) { try AllowedOrigins([text]) }
    }

    @Test func aPageMayChangeThingsWhereItsOriginIsNamed() throws {
        let origins = try AllowedOrigins([Self.page, "http://localhost:3000"])
        for (origin, isAllowed) in [
            (Self.page, true), ("http://localhost:3000", true), ("https://cache.example", true),
            ("https://app.example.evil", false), ("http://app.example", false), ("null", false),
            ("https://app.example:8443", false), ("http://localhost", false), ("", false),
        ] {
            let cross = FieldList([
                "Sec-Fetch-Site": origin.contains("cache") ? "none" : "cross-site"
            ])
            let head = Self.head("PUT", origin, cross)
            let kind = Self.kind { () throws(Problem) in
                try PageGuard.check(head, isOpen: false, isTokenAsked: true, origins)
            }
            #expect(kind == (isAllowed ? nil : .foreignPage), "\(origin)")
        }
        // Who hides where it comes from is not let in for that.
        let hidden = Self.head("PUT", nil, FieldList(["Sec-Fetch-Site": "cross-site"]))
        let kind = Self.kind { () throws(Problem) in
            try PageGuard.check(hidden, isOpen: false, isTokenAsked: true, origins)
        }
        #expect(kind == .foreignPage)
    }

    @Test func whatAPageMayReadIsSaidToItAlone() throws {
        let origins = try AllowedOrigins([Self.page])
        let fields = origins.fields(for: Self.head("GET", Self.page))
        #expect(fields["Access-Control-Allow-Origin"] == Self.page)
        #expect(fields["Vary"] == "Origin")
        #expect(fields["Access-Control-Allow-Credentials"] == nil)
        let shown = fields["Access-Control-Expose-Headers"] ?? ""
        for name in ["ETag", "Age", "Cache-Status", "Martlet-Position"] {
            #expect(shown.contains(name))
        }
        for origin in ["https://evil.example", "null", nil] {
            let others = origins.fields(for: Self.head("GET", origin))
            #expect(others["Access-Control-Allow-Origin"] == nil)
            #expect(others["Vary"] == "Origin", "a cache must not give this to the page")
        }
        #expect(AllowedOrigins.none.fields(for: Self.head("GET", Self.page)).fields.isEmpty)
    }

    @Test func aStarIsForAllAndForNull() throws {
        let origins = try AllowedOrigins(["*"])
        for origin in [Self.page, "null"] {
            let fields = origins.fields(for: Self.head("GET", origin))
            #expect(fields["Access-Control-Allow-Origin"] == "*")
            #expect(fields["Access-Control-Allow-Credentials"] == nil)
            #expect(fields["Vary"] == nil)
        }
    }

    @Test func aPreflightSaysWhatMayBeSent() throws {
        let origins = try AllowedOrigins([Self.page])
        let asks = FieldList([
            "Access-Control-Request-Method": "PUT",
            "Access-Control-Request-Headers": "authorization,x-unknown",
        ])
        let answer = try #require(try origins.preflight(Self.head("OPTIONS", Self.page, asks)))
        #expect(answer.status == 204)
        #expect(
            answer.fields["Access-Control-Allow-Methods"] == "GET, HEAD, PUT, DELETE, PURGE")
        let names = (answer.fields["Access-Control-Allow-Headers"] ?? "").lowercased()
        #expect(names.contains("authorization") && names.contains("martlet-ttl"))
        #expect(!names.contains("x-unknown"), "what is not known is not allowed")
        for origin in ["https://evil.example", "null"] {
            let kind = Self.kind { () throws(Problem) in
                _ = try origins.preflight(Self.head("OPTIONS", origin, asks))
            }
            #expect(kind == .foreignPage)
        }
        let nowhere = Self.kind { () throws(Problem) in
            _ = try origins.preflight(Self.head("OPTIONS", Self.page, asks, "/elsewhere"))
        }
        #expect(nowhere == .unknownRoute)
        // What is no preflight is answered as any method that is not there.
        #expect(try origins.preflight(Self.head("OPTIONS", Self.page)) == nil)
        #expect(try origins.preflight(Self.head("GET", Self.page, asks)) == nil)
    }
}
