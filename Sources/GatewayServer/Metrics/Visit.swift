import CacheHTTP
import CacheModel
import Threading

/// One request under way: begins when its head was read, and ends when its answer was handed to the
/// system. That of a subscriber ends when it is let in.
struct Visit: Sendable {
    let route: GatewayRoute
    let methodIndex: Int
    let begunAt: Instant
    private let meter: GatewayMeter
    /// Of the answer; 0 until there is one.
    private(set) var status = 0
    private(set) var sentBytes = 0
    private var isOver = false

    init(_ head: RequestHead, _ meter: GatewayMeter) {
        route = GatewayRoute(target: head.target)
        methodIndex =
            GatewayMethod.allCases.firstIndex { $0.rawValue == head.method }
            ?? GatewayMethod.allCases.count
        begunAt = MonotonicClock.now
        self.meter = meter
        meter.begin()
    }

    mutating func answers(_ answer: Answer) {
        status = answer.status
        sentBytes = answer.body.count
    }

    mutating func answers(_ visitor: StreamVisitor) {
        if case .webSocket = visitor { status = 101 } else { status = 200 }
        end()
    }

    /// Once; further times do nothing.
    mutating func end() {
        guard !isOver else { return }
        isOver = true
        meter.end(self)
    }
}
