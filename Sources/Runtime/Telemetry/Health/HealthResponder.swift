import CacheHTTP
import CacheMetrics
import CacheModel
package import NIOCore
import Threading

/// Answers monitoring systems and orchestrators over HTTP, under any HTTP server: the listener of
/// this module, or a server that has other paths, too.
///
///     GET /metrics   metrics, for Prometheus; with the token, if there is one
///     GET /livez     200 if every thread of the process has answered; /healthz is the same
///     GET /readyz    200 if the process should be sent work; else 503, and why
///
/// If only this machine reaches it and no token is required, it answers to this machine's names
/// alone. Otherwise the owner of another name could point that name here (DNS rebinding), and a
/// page of that name could read the answers in a browser on this machine.
///
/// It is called on any thread and never blocks. A ``ReportCollector`` asks the threads of the
/// process through their mailboxes; their reports become text on the event loop. A thread that does
/// not answer in time causes a 503 and delays no other request.
package final class HealthResponder: Sendable {
    private let reports: ReportCollector
    private let source: HealthSource
    private let token: MetricsToken?
    private let isLoopback: Bool
    private let loop: any EventLoop
    private let pages = Guarded<[MetricFormat: (reply: HealthReply, madeAt: Instant)]>([:])

    /// - Parameters:
    ///   - token: required for /metrics; `nil`: none is.
    ///   - isLoopback: whether only this machine reaches it.
    ///   - loop: makes the text, and keeps the time.
    package init(
        _ source: HealthSource, token: MetricsToken?, isLoopback: Bool, on loop: any EventLoop
    ) {
        self.source = source
        self.token = token
        self.isLoopback = isLoopback
        self.loop = loop
        reports = ReportCollector(source, on: loop)
    }

    /// Answers all requests that wait, before the event loop ends. The threads are not asked any
    /// more.
    package func end() { reports.end() }

    /// Paths that are answered here; a server with other paths answers those itself.
    package static let paths: Set<String> = ["/metrics", "/healthz", "/livez", "/readyz"]

    /// - Returns: an answer in any case, on the event loop; to HEAD the same as to GET.
    package func answer(_ request: HealthRequest) -> EventLoopFuture<HealthReply> {
        // Several fields are joined by commas, which no host has.
        guard request.host?.contains(",") != true else {
            return loop.makeSucceededFuture(
                .problem(400, "Bad Request", "a request has one field Host, with one host"))
        }
        if isLoopback, token == nil, let host = request.host, !PageGuard.isLoopback(host) {
            return loop.makeSucceededFuture(Self.misdirected)
        }
        guard Self.paths.contains(request.path) else {
            return loop.makeSucceededFuture(
                .problem(
                    404, "Not Found", "here are /metrics, /healthz, /livez and /readyz"))
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return loop.makeSucceededFuture(
                HealthReply.problem(405, "Method Not Allowed", "it is read by GET or HEAD")
                    .with("allow", "GET, HEAD"))
        }
        if request.path == "/metrics", let token, !token.isShown(by: request.authorization) {
            return loop.makeSucceededFuture(
                HealthReply.problem(
                    401, "Unauthorized", "metrics are read with the token of --http-token-file"
                ).with("www-authenticate", "Bearer"))
        }
        return reports.report().map { [self] report in
            guard let report else { return Self.silent }
            return switch request.path {
            case "/metrics": metrics(report, .accepted(by: request.accept))
            case "/readyz": Self.readiness(report.readiness)
            default: HealthReply(200, "text/plain; charset=utf-8", "alive\n")
            }
        }
    }

    private static var misdirected: HealthReply {
        .problem(
            421, "Misdirected Request",
            "here is no token asked for, and localhost, 127.0.0.1 and [::1] are answered to alone: "
                + "give --http-token-file to have it known under other names")
    }

    private static var silent: HealthReply {
        HealthReply.problem(
            503, "Service Unavailable",
            "a thread of this process has not answered for "
                + "\(HealthLimits.answerTimeMax.nanoseconds / 1_000_000_000) s"
        ).with("retry-after", "\(HealthLimits.retryAfterSeconds)")
    }

    /// A page that was made a moment ago is used again, however many requests come.
    private func metrics(_ report: any HealthReport, _ format: MetricFormat) -> HealthReply {
        let now = MonotonicClock.now
        return pages.withLock { pages in
            if let page = pages[format], now.elapsed(since: page.madeAt) < HealthLimits.pageAgeMax {
                return page.reply
            }
            let reply = made(report, format)
            pages[format] = (reply, now)
            return reply
        }
    }

    private func made(_ report: any HealthReport, _ format: MetricFormat) -> HealthReply {
        var page = report.page
        page.add(source.processPage())
        return HealthReply(200, format.contentType, page.text(format)).with("vary", "accept")
    }

    private static func readiness(_ readiness: Readiness) -> HealthReply {
        switch readiness {
        case .ready: HealthReply(200, "text/plain; charset=utf-8", "ready\n")
        case .unready(let reason):
            HealthReply.problem(503, "Service Unavailable", reason)
                .with("retry-after", "\(HealthLimits.retryAfterSeconds)")
        }
    }
}
