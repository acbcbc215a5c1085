package import CacheWorkload
package import MartletClient

/// A load test, with all settings checked.
package struct LoadTestPlan: Sendable {
    package var workload: Workload
    /// Publishers or nodes, tried in turn. An echo needs none.
    package var endpoints: [String] = []
    /// The key pair of the load test, for a cluster that authenticates clients.
    package var keys: ClientKeys?
    package var threadCount = 1
    /// The part of the keys that this process changes, if several processes test together.
    package var worker = KeyPart.all
    /// Invalidations beside the load for each second, all threads together.
    package var invalidationsPerSecond: Int?
    /// Whether our own echo answers instead of a cluster.
    package var isEcho = false
    /// When the first phase begins, in milliseconds since 1970; `nil`: at once.
    package var startAt: UInt64?
    /// Timeout of connecting.
    package var timeout: Duration = .seconds(5)
    /// How long each thread polls for answers before it sleeps.
    package var spin: Duration = .zero
    package var title = ""
    package var version = ""
    package var subject = ""
    package var asked: [RunFigures.Fact] = []
    /// The load of each phase, in one line.
    package var phaseTexts: [String] = []

    package init(_ workload: Workload) { self.workload = workload }

    /// An echo authenticates no clients.
    var clusterKeys: ClientKeys? { isEcho ? nil : keys }

    /// The number of initial keys, in the phase with most.
    var keyCountMax: Int { workload.phases.reduce(1) { max($0, $1.keyCount) } }

    var verifies: Bool { workload.phases.contains(where: \.verifies) }
}

/// Bounds of a run that are not part of a workload.
package enum LoadTestLimits {
    package static let threads = 1...256
    /// Most keys in one invalidation: the most scopes of a record.
    static let invalidationKeysMax = 1_000
    /// Invalidations beside the load for each second.
    package static let invalidationRate = 1...1_000_000
    /// Time from the last thread's connection to the start of a phase: meanwhile the histograms are
    /// allocated and touched for the first time.
    static let startDelay: UInt64 = 50_000_000
    /// Time until an operation on a key that moves is sent again, in nanoseconds.
    static let repeatPause: UInt64 = 5_000_000
    /// A thread that waits for less than this share of its time is itself the bottleneck.
    static let waitingShareMin = 0.05
    /// Share of due keys that must be sent, and sent in time, for a rate to count as reached.
    static let keptShareMin = 0.99
    /// Longest time from due to sent that counts as in time, in nanoseconds.
    static let latenessMax: UInt64 = 10_000_000
}

/// Why a load test measured nothing.
package enum LoadTestFailure: Error, Sendable {
    /// The cluster is unreachable, or was lost.
    case cluster(CacheError)
    /// The system provides no more threads or sockets; a sentence.
    case system(String)
}
