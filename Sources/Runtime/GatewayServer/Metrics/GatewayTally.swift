import CacheHTTP
import CacheMetrics
import MartletClient

/// Counters of one part of a gateway's threads. A plain value.
struct GatewayTally: Sendable {
    /// Requests that began, and those that ended.
    private(set) var begun: UInt64 = 0
    private(set) var ended: UInt64 = 0
    private(set) var receivedBytes: UInt64 = 0
    private(set) var sentBytes: UInt64 = 0
    /// By route, method and class of status.
    private var requests = [UInt64](repeating: 0, count: routeCount * methodCount * classCount)
    /// By route.
    private(set) var durations = [DurationHistogram](
        repeating: DurationHistogram(.long), count: routeCount)
    private(set) var problems: [ProblemKind: UInt64] = [:]
    private(set) var operations = [UInt64](repeating: 0, count: ClusterOperation.allCases.count)
    private(set) var failures: [CacheError.Code: UInt64] = [:]

    static let routes: [ResourceShape?] = [
        .entry, .namespace, .batch, .invalidations, .explanation, .cluster, .document, .stream, nil,
    ]
    private static let routeCount = routes.count
    static let methods = GatewayMethod.allCases.map(\.rawValue) + ["other"]
    private static let methodCount = methods.count
    /// The last is for requests that lost their connection before they were answered.
    static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx", "none"]
    private static let classCount = classes.count

    mutating func begin() { begun &+= 1 }

    mutating func note(_ visit: Visit, nanoseconds: UInt64) {
        ended &+= 1
        sentBytes &+= UInt64(visit.sentBytes)
        let route = Self.routes.firstIndex(of: visit.route) ?? Self.routeCount - 1
        requests[Self.place(route, visit.methodIndex, Self.classIndex(visit.status))] &+= 1
        durations[route].note(nanoseconds: nanoseconds)
    }

    mutating func note(receivedBytes: Int) { self.receivedBytes &+= UInt64(receivedBytes) }
    mutating func note(_ problem: ProblemKind) { problems[problem, default: 0] &+= 1 }
    mutating func note(_ failure: CacheError.Code) { failures[failure, default: 0] &+= 1 }

    mutating func note(_ operation: ClusterOperation, count: Int) {
        operations[operation.rawValue] &+= UInt64(count)
    }

    func requestCount(_ route: Int, method: Int, statusClass: Int) -> UInt64 {
        requests[Self.place(route, method, statusClass)]
    }

    /// Adds the counters of another part.
    mutating func add(_ other: GatewayTally) {
        begun &+= other.begun
        ended &+= other.ended
        receivedBytes &+= other.receivedBytes
        sentBytes &+= other.sentBytes
        for index in requests.indices { requests[index] &+= other.requests[index] }
        for index in durations.indices { durations[index].add(other.durations[index]) }
        for index in operations.indices { operations[index] &+= other.operations[index] }
        problems.merge(other.problems, uniquingKeysWith: &+)
        failures.merge(other.failures, uniquingKeysWith: &+)
    }

    private static func place(_ route: Int, _ method: Int, _ statusClass: Int) -> Int {
        (route * methodCount + method) * classCount + statusClass
    }

    private static func classIndex(_ status: Int) -> Int {
        (100...599).contains(status) ? status / 100 - 1 : classCount - 1
    }
}

/// Operations that a gateway sends to its cluster, counted per key.
enum ClusterOperation: Int, CaseIterable, Sendable {
    case get, set, delete, invalidate, count
}
