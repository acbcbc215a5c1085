import CacheHTTP
import Foundation
import Testing
import TestSupport

@testable import GatewayServer

/// The page as it is answered; what it does in a browser, Tests/Dashboard holds.
@Suite struct DashboardTests {
    /// Where the sources of the page lie.
    private static let folder = Repository.file("Sources/Runtime/GatewayServer/Dashboard/Page")

    private static func answer(
        _ method: String, _ target: String, _ fields: FieldList = FieldList()
    ) throws -> Answer? {
        try DashboardPages.answer(RequestHead(method, target, fields))
    }

    @Test func everyDashboardFileIsServedAsInTheSources() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let parts = names.filter { !["dashboard.html", "dashboard.css"].contains($0) }
        let paths = parts.map { "/dashboard/\($0)" }
        #expect(Set(paths + ["/dashboard"]) == Set(DashboardFile.all.map(\.path)))
        for (name, path) in zip(parts, paths) {
            let answer = try #require(try Self.answer("GET", path))
            #expect(answer.status == 200)
            #expect(try answer.body == Array(Self.source(name).utf8), "\(name)")
        }
    }

    @Test func thePageIsItsSourceWithItsStyleInIt() throws {
        let page = String(
            decoding: try #require(try Self.answer("GET", "/dashboard")).body, as: UTF8.self)
        let style = try Self.source("dashboard.css")
        let parts = try Self.source("dashboard.html").components(
            separatedBy: DashboardFile.styleMark)
        try #require(parts.count == 2)
        #expect(page == parts[0] + "<style>" + style + "</style>" + parts[1])
        // A browser takes the first end tag that it meets.
        #expect(!style.contains("</"))
    }

    private static func source(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func thePageIsLight() {
        let weight = DashboardFile.all.reduce(0) { $0 + $1.bytes.count }
        #expect(weight > 1_000 && weight <= 150 << 10, "\(weight) bytes")
    }

    @Test(arguments: DashboardFile.all.map(\.path))
    func noPartMayDoMoreThanItHasTo(path: String) throws {
        let answer = try #require(try Self.answer("GET", path))
        let policy = try #require(answer.fields["Content-Security-Policy"])
        let rules = policy.split(separator: ";").map { $0.trimmingPrefix(" ") }
        for rule in [
            "default-src 'none'", "script-src 'self'", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            #expect(rules.contains { $0 == rule }, "\(rule)")
        }
        #expect(rules.contains { $0.hasPrefix("style-src 'sha256-") && $0.hasSuffix("='") })
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
        #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
        #expect(answer.fields["Referrer-Policy"] == "no-referrer")
        #expect(answer.fields["Cache-Control"] == "no-cache")
        #expect(answer.fields["Content-Type"] != nil)
    }

    @Test(arguments: DashboardFile.all.map(\.path))
    func aMatchingETagReturnsNotModified(path: String) throws {
        let first = try #require(try Self.answer("GET", path))
        let tag = try #require(first.fields["ETag"])
        let again = try #require(try Self.answer("GET", path, FieldList(["If-None-Match": tag])))
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(again.fields["ETag"] == tag && again.fields["Content-Security-Policy"] != nil)
        let other = try Self.answer("GET", path, FieldList(["If-None-Match": "\"h0\""]))
        #expect(other?.status == 200)
    }

    @Test func theWayInLeadsToThePage() throws {
        // Relatively, so that a proxy may put all of it behind a prefix.
        #expect(try Self.answer("GET", "/")?.fields["Location"] == "dashboard")
        #expect(try Self.answer("HEAD", "/dashboard/")?.fields["Location"] == "../dashboard")
        #expect(try Self.answer("GET", "/")?.status == 302)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PURGE", "OPTIONS", "get"])
    func otherMethodsAreRefused(method: String) throws {
        for path in ["/", "/dashboard", "/dashboard/", "/dashboard/words.js"] {
            do {
                _ = try Self.answer(method, path)
                Issue.record("\(method) \(path) is answered")
            } catch let problem as Problem {
                #expect(problem.kind == .methodNotAllowed)
                #expect(problem.fields["Allow"] == "GET, HEAD")
            }
        }
    }

    @Test(arguments: [
        "", "/dashboards", "/dashboard/..", "/dashboard/nothing.js", "/dashboard?x", "/Dashboard",
        "/v1/cluster", "/v1/default/dashboard",
    ])
    func whatNamesSomethingElseIsLeftToOthers(target: String) throws {
        #expect(try Self.answer("GET", target) == nil)
    }

    /// Names of keys are of strangers, and scripts of others are not wanted.
    @Test func noSourceReadsTextAsMarkupOrAsksElsewhere() throws {
        let files = DashboardFile.all.filter { $0.contentType.hasPrefix("text/") }
        for file in files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                "new Function", "sessionStorage", "style=\"", "onclick=", "https://", "//cdn",
            ] {
                #expect(!text.contains(word), "\(file.path) has \(word)")
            }
        }
    }
}
