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
