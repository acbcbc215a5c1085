import CacheMetrics
import Foundation
import Telemetry
import Logging
import Testing
import Threading

/// The listener as a monitoring system sees it, over real connections.
@Suite(.serialized) struct HealthListenerTests {
    private static let family = MetricFamily(.counter, "martlet_test_asked", "Times asked.")

    private struct Report: HealthReport {
        var readiness: Readiness
        var page: MetricPage
    }

    /// A process that counts how often it is asked, and may be silent.
    private final class Process: Sendable {
        let asked = Guarded(0)
        let readiness = Guarded(Readiness.ready)
        let isSilent = Guarded(false)
        /// How many pages were made.
        let pages = Guarded(0)
        /// Who has not been answered yet.
        let waiting = Guarded<[@Sendable (any HealthReport) -> Void]>([])

        var source: HealthSource {
            HealthSource(takeReport: { [self] whole in
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if isSilent.withLock({ $0 }) { return waiting.withLock { $0.append(whole) } }
                whole(report(number))
            }) { [self] in
                pages.withLock { $0 += 1 }
                return ProcessWatch(role: "test", version: "0").page
            }
        }

        /// Late, and once: who waits holds this process, which must not hold them for ever.
        func answerThoseWaiting() {
            let late = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for whole in late { whole(report(1)) }
        }

        func report(_ number: Int) -> any HealthReport {
            var page = MetricPage()
            page.add(family, .count(UInt64(number)))
            return Report(readiness: readiness.withLock { $0 }, page: page)
        }
    }

    private static func withListener(
        _ process: Process = Process(), token: MetricsToken? = nil,
        _ body: (Int, Process) throws -> Void
    ) throws {
        let listener = try HealthListener.start(
            host: "127.0.0.1", port: 0, token: token, process.source,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        defer { listener.stop() }
        try body(listener.port, process)
    }

    private static func ask(
        _ port: Int, _ path: String, _ method: String = "GET", _ fields: [String] = []
    ) throws -> HTTPConversation.Answer {
        try HTTPConversation(port).ask(path, method, fields)
    }

    @Test func metricsComeInTheFormThatIsAskedFor() throws {
        try Self.withListener { port, _ in
            let older = try Self.ask(port, "/metrics?x=1")
            #expect(older.status == 200)
            #expect(older.head.contains("content-type: text/plain; version=0.0.4; charset=utf-8"))
            #expect(older.body.contains("\nmartlet_test_asked_total "))
            let newer = try Self.ask(
                port, "/metrics", "GET", ["Accept: application/openmetrics-text;version=1.0.0"])
            #expect(newer.head.contains("content-type: application/openmetrics-text"))
            #expect(newer.body.hasSuffix("# EOF\n"))
        }
    }

    /// Whoever owns a name can have it lead here, and a page of theirs ask for it.
    @Test func withoutATokenRequestsForOtherHostsAreRefused() throws {
        try Self.withListener { port, _ in
            for host in ["evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", ""] {
                for path in ["/metrics", "/readyz"] {
                    let answer = try HTTPConversation(port).ask(path, host: host)
                    #expect(answer.status == 421, "\(host)")
                    #expect(!answer.body.contains("martlet_test"))
                }
            }
            for host in ["localhost", "LOCALHOST:\(port)", "127.0.0.1:\(port)", "[::1]"] {
                #expect(try HTTPConversation(port).ask("/metrics", host: host).status == 200)
            }
        }
        let token = "0123456789abcdef"
        try Self.withListener(token: MetricsToken(token)) { port, _ in
            let shown = try HTTPConversation(port).ask(
                "/metrics", "GET", ["Authorization: Bearer \(token)"], host: "node1.example")
            #expect(shown.status == 200)
        }
    }

    @Test func theProcessIsShownBesideIt() throws {
        try Self.withListener { port, _ in
            let text = try Self.ask(port, "/metrics").body
            let lines = text.split(separator: "\n")
            for family in ProcessWatch.families {
                #expect(lines.contains { $0.hasPrefix(family.sampleName) }, "\(family.name)")
            }
            func value(_ name: String) throws -> Double {
                let line = try #require(lines.first { $0.hasPrefix("\(name) ") })
                return try #require(line.split(separator: " ").last.flatMap { Double($0) })
            }
            let now = Date().timeIntervalSince1970
            let began = try value("process_start_time_seconds")
            #expect(began <= now && began > now - 7 * 86_400)
            #expect(try value("process_resident_memory_bytes") > 1_000_000)
            #expect(try value("process_cpu_seconds_total") > 0)
            #expect(try value("process_open_fds") > 3)
        }
    }

    @Test func readinessSaysWhyNot() throws {
        try Self.withListener { port, process in
            #expect(try Self.ask(port, "/readyz").status == 200)
            process.readiness.withLock { $0 = .unready("SUSPECT: \"quoted\" \\ and\nmore") }
            var answer = try Self.ask(port, "/readyz")
            // What was told is told again for a moment.
            while answer.status == 200 { answer = try Self.ask(port, "/readyz") }
            #expect(answer.status == 503)
            #expect(answer.head.contains("content-type: application/problem+json"))
            #expect(answer.head.contains("retry-after: 5"))
            let problem = try #require(
                JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(problem["status"] as? Int == 503)
            #expect((problem["detail"] as? String)?.hasPrefix("SUSPECT: \"quoted\" \\ and") == true)
            // It lives all the same.
            #expect(try Self.ask(port, "/livez").body == "alive\n")
            #expect(try Self.ask(port, "/healthz").status == 200)
        }
    }

    @Test func whatIsNotThereIsAProblem() throws {
        try Self.withListener { port, _ in
            for path in ["/", "/metrics/", "//metrics", "/nothing", "*", "/%6detrics"] {
                let answer = try Self.ask(port, path)
                #expect(answer.status == 404 && answer.body.contains("/readyz"), "\(path)")
            }
            let wrong = try Self.ask(port, "/metrics", "DELETE")
            #expect(wrong.status == 405 && wrong.head.contains("allow: get, head"))
            let head = try Self.ask(port, "/readyz", "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.head.contains("content-length: 6"))
        }
    }

    @Test func aTokenGuardsMetricsAlone() throws {
        let token = try MetricsToken("  0123456789abcdef\n")
        try Self.withListener(token: token) { port, _ in
            for fields in [
                [], ["Authorization: Bearer 0123456789abcde"], ["Authorization: Bearer x"],
                ["Authorization: Bearer 0123456789abcdef0123456789abcdef"],
                ["Authorization: Basic 0123456789abcdef"], ["Authorization: Bearer"],
            ] {
                let answer = try Self.ask(port, "/metrics", "GET", fields)
                #expect(answer.status == 401, "\(fields)")
                #expect(answer.head.contains("www-authenticate: bearer"))
            }
            let shown = ["authorization: bearer 0123456789abcdef"]
            #expect(try Self.ask(port, "/metrics", "GET", shown).status == 200)
            #expect(try Self.ask(port, "/readyz").status == 200)
        }
    }

    @Test(arguments: ["", "short", "0123456789abcde", "0123456789 abcdef", "0123456789abcdeé"])
    func whatIsNoTokenIsRefused(text: String) {
        #expect(throws: HealthStartError.self) { try MetricsToken(text) }
        #expect(throws: HealthStartError.self) {
            try MetricsToken(String(repeating: "x", count: 513))
        }
    }

    @Test func aStuckThreadDelaysNoOtherRequestAndIsAskedOnce() throws {
        try Self.withListener { port, process in
            process.isSilent.withLock { $0 = true }
            let first = try HTTPConversation(port)
            first.say("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // Others are answered meanwhile.
            #expect(try Self.ask(port, "/nothing").status == 404)
            #expect(try first.answer().status == 503)
            #expect(try Self.ask(port, "/metrics").status == 503)
            #expect(process.asked.withLock { $0 } == 1)
            // It turns again. What it says so late may not be so any more: it is asked once more.
            process.isSilent.withLock { $0 = false }
            process.answerThoseWaiting()
            #expect(process.asked.withLock { $0 } == 1)
            #expect(try Self.ask(port, "/livez").status == 200)
            #expect(process.asked.withLock { $0 } == 2)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1", 400), ("HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400),
        ("HTTP/1.1\r\nHost: [::1].evil", 421), ("HTTP/1.1\r\nHost: localhost:abc", 421),
        ("HTTP/1.1\r\nHost: localhost:9464", 200), ("HTTP/1.0", 200),
    ])
    func aRequestNamesOneHost(head: String, status: Int) throws {
        try Self.withListener { port, _ in
            let one = try HTTPConversation(port)
            one.say("GET /metrics \(head)\r\n\r\n")
            #expect(try one.answer().status == status)
        }
    }

    @Test func fiveThousandRequestsAtOnceAreAnsweredOneAfterTheOther() throws {
        try Self.withListener { port, process in
            process.isSilent.withLock { $0 = true }
            let one = try HTTPConversation(port)
            let rest = String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 5_000)
            one.say(
                "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n" + rest
                    + "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while process.waiting.withLock({ $0.isEmpty }) {
                _ = try Self.ask(port, "/nothing")
            }
            process.answerThoseWaiting()
            let statuses = one.untilClosed().components(separatedBy: "HTTP/1.1 ")
                .map { $0.prefix(3) }
            #expect(statuses.prefix(2) == ["", "200"])
            #expect(statuses.dropFirst(2).count { $0 == "404" } == 5_001)
        }
    }

    @Test func theListenerStopsWhileARequestWaits() throws {
        let process = Process()
        process.isSilent.withLock { $0 = true }
        try Self.withListener(process) { port, process in
            let one = try HTTPConversation(port)
            one.say("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while process.waiting.withLock({ $0.isEmpty }) { _ = try Self.ask(port, "/nothing") }
        }
        // Too late, and nobody is there any more.
        process.answerThoseWaiting()
    }

    @Test func concurrentRequestsShareOneReport() throws {
        try Self.withListener { port, process in
            process.isSilent.withLock { $0 = true }
            let all = try (0..<20).map { _ in try HTTPConversation(port) }
            for one in all { one.say("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            // The last is behind all others on the one event loop.
            while process.waiting.withLock({ $0.isEmpty }) {
                _ = try Self.ask(port, "/nothing")
            }
            _ = try Self.ask(port, "/nothing")
            process.answerThoseWaiting()
            for one in all { #expect(try one.answer().status == 200) }
            #expect(process.asked.withLock { $0 } == 1)
        }
    }

    @Test func aPageIsMadeOnceHoweverManyReadIt() throws {
        try Self.withListener { port, process in
            let one = try HTTPConversation(port)
            let start = ContinuousClock.now
            var bodies: Set<String> = []
            for _ in 0..<300 { bodies.insert(try one.ask("/metrics").body) }
            let spans = Int((ContinuousClock.now - start) / HealthLimits.pageAgeMax)
            let made = process.pages.withLock { $0 }
            #expect((1...(spans + 1)).contains(made), "\(made) pages in \(spans) spans")
            #expect(bodies.count <= made)
            // The other form is another page.
            let newer = ["Accept: application/openmetrics-text;version=1.0.0"]
            #expect(try one.ask("/metrics", "GET", newer).body.hasSuffix("# EOF\n"))
        }
    }

    @Test func aConnectionIsKeptAndItsRequestsAnsweredInOrder() throws {
        try Self.withListener { port, _ in
            let one = try HTTPConversation(port)
            for _ in 0..<3 { #expect(try one.ask("/livez").status == 200) }
            one.say(
                "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    + "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let text = one.untilClosed()
            let parts = text.components(separatedBy: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(parts == ["", "200", "404"])
        }
    }

    /// What no client of ours says.
    enum Garbage: CaseIterable {
        case zeroes, noPath, otherVersion, manyFields, longField, longPath

        var text: String {
            switch self {
            case .zeroes: "\u{0}\u{1}\u{2}\r\n\r\n"
            case .noPath: "GET\r\n\r\n"
            case .otherVersion: "GET / HTTP/9.9\r\n\r\n"
            case .manyFields:
                "GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 100) + "\r\n"
            case .longField:
                "GET / HTTP/1.1\r\na: " + String(repeating: "b", count: 5_000) + "\r\n\r\n"
            case .longPath: "GET /" + String(repeating: "c", count: 100_000)
            }
        }
    }

    @Test(arguments: Garbage.allCases)
    func whatCannotBeReadIsAnsweredWithAnErrorOrClosed(garbage: Garbage) throws {
        try Self.withListener { port, process in
            let one = try HTTPConversation(port)
            one.say(garbage.text)
            let answer = one.untilClosed()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
            #expect(process.asked.withLock { $0 } == 0)
            #expect(try Self.ask(port, "/livez").status == 200)
        }
    }

    @Test func anUnexpectedBodyClosesTheConnection() throws {
        try Self.withListener { port, _ in
            let one = try HTTPConversation(port)
            one.say("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
            one.say(String(repeating: "x", count: 10_000))
            #expect(one.untilClosed().isEmpty)
        }
    }

    @Test func aConnectionWithAnIncompleteRequestIsClosed() throws {
        try Self.withListener { port, _ in
            let one = try HTTPConversation(port)
            one.say("GET /livez HT")
            #expect(one.untilClosed().isEmpty)
            #expect(try Self.ask(port, "/livez").status == 200)
        }
    }

    @Test func theOldestIdleConnectionsAreClosedForNewOnes() throws {
        try Self.withListener { port, _ in
            let kept = try (0..<HealthLimits.connectionsMax).map { _ in
                try HTTPConversation(port)
            }
            // Half of them say nothing, the others nothing more.
            for one in kept.dropFirst(HealthLimits.connectionsMax / 2) {
                #expect(try one.ask("/livez").status == 200)
            }
            for _ in 0..<HealthLimits.connectionsMax / 2 {
                #expect(try Self.ask(port, "/livez").status == 200)
            }
            #expect(kept[0].untilClosed().isEmpty)
            let last = try #require(kept.last)
            #expect(try last.ask("/livez").status == 200)
        }
    }

    @Test func connectionsThatAreBeingAnsweredStay() throws {
        try Self.withListener { port, process in
            process.isSilent.withLock { $0 = true }
            let kept = try (1..<HealthLimits.connectionsMax).map { _ in
                try HTTPConversation(port)
            }
            for one in kept { one.say("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            // The last is behind all others on the one event loop.
            let idle = try HTTPConversation(port)
            while process.waiting.withLock({ $0.isEmpty }) { _ = try idle.ask("/nothing") }
            #expect(try idle.ask("/nothing").status == 404)
            #expect(try Self.ask(port, "/nothing").status == 404)
            #expect(idle.untilClosed().isEmpty)
            process.answerThoseWaiting()
            for one in kept { #expect(try one.answer().status == 200) }
        }
    }

    @Test func twoHostsAreRefused() throws {
        try Self.withListener { port, _ in
            let twice = try Self.ask(port, "/metrics", "GET", ["Host: localhost"])
            #expect(twice.status == 400)
            let other = try Self.ask(port, "/metrics", "GET", ["Host: evil.example"])
            #expect(other.status == 400)
        }
    }

    @Test func aPortThatIsTakenIsNamed() throws {
        try Self.withListener { port, process in
            do {
                let second = try HealthListener.start(
                    host: "127.0.0.1", port: port, token: nil, process.source,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                second.stop()
                Issue.record("two listen on one port")
            } catch {
                #expect("\(error)".contains("127.0.0.1:\(port) cannot be listened on"))
            }
        }
    }
}
