import CacheHTTP
import CacheModel
import CacheMetrics
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
        let route = visit.route == .other ? nil : visit.route.label
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
