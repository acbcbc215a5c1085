import CacheHTTP
import CacheModel
import Telemetry
import CacheMetrics
import Threading

/// One request under way: begins when its head was read, and ends when its answer was passed to the
/// system. That of a subscriber ends when it is admitted.
struct Visit: Sendable {
    /// `nil`: of no resource.
    let route: ResourceShape?
    let methodIndex: Int
    let begunAt: Instant
    let trace: RequestTrace
    /// When its answer was determined; only if slow requests are logged.
    private(set) var decidedAt: Instant?
    /// `nil` once it is over: a subscriber stays for long.
    private var head: RequestHead?
    private let meter: GatewayMeter
    /// Of the answer; 0 until there is one.
    private(set) var status = 0
    private(set) var sentBytes = 0
    /// The source of the answer, as in `Cache-Status`; only if requests are sampled or this one is
    /// recorded.
    private(set) var source: String?
    /// Of the requested URL.
    var scheme: String { meter.isSecure ? "https" : "http" }

    /// - Parameter begunAt: its begin, if known; otherwise now.
    init(_ head: RequestHead, _ meter: GatewayMeter, since begunAt: Instant? = nil) {
        route = ResourceShape(target: head.target)
        methodIndex =
            GatewayMethod.allCases.firstIndex { $0.rawValue == head.method }
            ?? GatewayMethod.allCases.count
        self.begunAt = begunAt ?? MonotonicClock.now
        self.head = head
        self.meter = meter
        trace = RequestTrace(head.fields, meter.spans)
        meter.begin()
    }

    mutating func answers(_ answer: Answer) {
        status = answer.status
        sentBytes = answer.body.count
        if meter.sample != nil || trace.isRecorded { source = answer.fields["Cache-Status"] }
        if meter.slow != nil { decidedAt = MonotonicClock.now }
    }

    /// Ends when the subscriber is admitted.
    mutating func subscribes(_ answer: GatewayAnswer) {
        if case .webSocket = answer { status = 101 } else { status = 200 }
        end()
    }

    /// The first call ends it; later ones have no effect.
    mutating func end() {
        guard let head else { return }
        self.head = nil
        let took = MonotonicClock.now.elapsed(since: begunAt)
        meter.end(self, took: took)
        if trace.isRecorded { meter.spans?.record(SpanRecord(self, head, took: took)) }
        if let sample = meter.sample, sample.takesNext() {
            sample.note(SlowOperation(self, head, took: took))
        }
        guard let slow = meter.slow, took >= slow.threshold else { return }
        slow.note(SlowOperation(self, head, took: took))
    }
}
