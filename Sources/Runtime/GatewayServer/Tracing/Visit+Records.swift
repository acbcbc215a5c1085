import CacheHTTP
import CacheMetrics
import CacheModel
import Telemetry
import Tracing

extension SpanRecord {
    /// The methods of RFC 9110 and 5789, and Martlet's own; any other is an untrusted text.
    private static let knownMethods: Set<String> = Set(GatewayMethod.allCases.map(\.rawValue))
        .union(["OPTIONS", "PATCH", "TRACE", "CONNECT"])

    /// The span of a request over HTTP: names and attributes follow OpenTelemetry's conventions for
    /// servers [1]. Of the path it has only the route: the rest contains keys.
    ///
    /// [1] OpenTelemetry, Semantic conventions for HTTP spans
    init(_ visit: Visit, _ head: RequestHead, took: Duration) {
        let isKnown = Self.knownMethods.contains(head.method)
        let route = visit.route?.rawValue
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        let verb = isKnown ? head.method : "HTTP"
        self.init(
            route.map { "\(verb) \($0)" } ?? verb, .server, visit.trace.context,
            under: visit.trace.parent, at: now - min(now, took.wholeNanoseconds))
        end(at: now)
        isParentRemote = visit.trace.isGiven
        add("http.request.method", .text(isKnown ? head.method : "_OTHER"))
        if let route {
            add("http.route", .text(route))
            add("url.path", .text(route))
        }
        add("url.scheme", .text(visit.scheme))
        if let source = visit.source { add("martlet.cache", .text(source)) }
        guard visit.status > 0 else {
            add("error.type", .text("connection_lost"))
            fail("the connection was gone before the answer")
            return
        }
        add("http.response.status_code", .integer(Int64(visit.status)))
        guard visit.status >= 500 else { return }
        add("error.type", .text("\(visit.status)"))
        fail("")
    }
}

extension SlowOperation {
    /// A request over HTTP that was slow, or was sampled.
    init(_ visit: Visit, _ head: RequestHead, took: Duration) {
        self.init("\(head.method) \(visit.route?.rawValue ?? "other")", took: took)
        trace = visit.trace.context
        facts = [("status", visit.status == 0 ? "none" : "\(visit.status)")]
        if let source = visit.source { facts.append(("cache", source)) }
        do throws(Problem) {
            switch try Resource(target: head.target) {
            case .entry(let namespace, let key), .explanation(let namespace, let key):
                self.namespace = namespace
                self.key = key.bytes
                keyCount = 1
            case .namespace(let namespace), .batch(let namespace): self.namespace = namespace
            case .invalidations, .cluster, .stream, .document, .olderDocument: break
            }
        } catch {
            // A malformed target has no names.
        }
        if let decidedAt = visit.decidedAt {
            parts = [
                ("answering", decidedAt.elapsed(since: visit.begunAt)),
                ("sending", max(.zero, took - decidedAt.elapsed(since: visit.begunAt))),
            ]
        }
    }
}
