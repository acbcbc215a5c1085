import CacheHTTP
import CacheModel
import MartletClient
import Telemetry
import Threading

/// Counts the gateway's events, on any thread.
///
/// Threads are spread over a few tallies to avoid contention: a request costs an uncontended lock
/// and a few additions, when it begins and when it ends. A reader adds the tallies up.
final class GatewayMeter: Sendable {
    private let tallies: [Guarded<GatewayTally>]
    /// Connections opened in total, open now, and failures to accept. Updated by the event loop
    /// that accepts.
    private let connections = Guarded((opened: UInt64(0), open: 0, refused: UInt64(0)))

    /// Log of slow requests; `nil`: none.
    let slow: SlowLog?

    /// Log of sampled requests; `nil`: none.
    let sample: SampleLog?

    /// Records spans of requests; `nil`: none are recorded.
    let spans: SpanTracer?

    /// Whether requests use TLS.
    let isSecure: Bool

    init(
        slow: SlowLog? = nil, sample: SampleLog? = nil, spans: SpanTracer? = nil,
        isSecure: Bool = false
    ) {
        self.slow = slow
        self.sample = sample
        self.spans = spans
        self.isSecure = isSecure
        tallies = (0..<(1 << GatewayLimits.talliesLog2)).map { _ in Guarded(GatewayTally()) }
    }

    /// The calling thread's tally.
    private var mine: Guarded<GatewayTally> {
        // Addresses of threads differ in their middle; Fibonacci hashing spreads that.
        let hash = UInt64(ThreadMark.current.rawValue) &* 0x9E37_79B9_7F4A_7C15
        return tallies[Int(hash >> (64 - UInt64(GatewayLimits.talliesLog2)))]
    }

    func begin() { mine.withLock { $0.begin() } }

    func end(_ visit: Visit, took: Duration) {
        mine.withLock { $0.note(visit, nanoseconds: took.wholeNanoseconds) }
    }

    func took(bytes: Int) { mine.withLock { $0.note(receivedBytes: bytes) } }

    /// A request is answered with a problem.
    func refused(_ problem: ProblemKind) { mine.withLock { $0.note(problem) } }

    /// An operation is sent to the cluster.
    func asks(for operation: ClusterOperation, count: Int = 1) {
        mine.withLock { $0.note(operation, count: count) }
    }

    /// The cluster failed.
    func failed(_ error: CacheError) { mine.withLock { $0.note(error.code) } }

    func connectionOpened() {
        connections.withLock {
            $0.opened += 1
            $0.open += 1
        }
    }

    func connectionRefused() { connections.withLock { $0.refused += 1 } }

    func connectionClosed() { connections.withLock { $0.open -= 1 } }

    /// All of it, at about one moment.
    var total: GatewayTally {
        var total = GatewayTally()
        for tally in tallies { total.add(tally.withLock { $0 }) }
        return total
    }

    var connectionCounts: (opened: UInt64, open: Int, refused: UInt64) {
        connections.withLock { $0 }
    }
}
