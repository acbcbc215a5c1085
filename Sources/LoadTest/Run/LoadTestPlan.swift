package import CacheWorkload
package import MartletClient

/// A load test, with everything checked.
package struct LoadTestPlan: Sendable {
    package var workload: Workload
    /// Publishers or nodes, tried in turn. An echo needs none.
    package var endpoints: [String] = []
    /// Who the load test is, to a cluster that asks.
    package var keys: ClientKeys?
    package var threadCount = 1
    /// The part of the keys that this process changes, of all that test together.
    package var worker = KeyPart.all
    /// Invalidations beside the load for each second, all threads together.
    package var invalidationsPerSecond: Int?
    /// Whether an echo of our own answers instead of a cluster.
    package var isEcho = false
    /// When the first phase begins, in milliseconds since 1970; `nil`: at once.
    package var startAt: UInt64?
    /// How long connecting may take.
    package var timeout: Duration = .seconds(5)
    /// How long each thread looks for answers before it sleeps.
    package var spin: Duration = .zero
    package var title = ""
    package var version = ""
    package var subject = ""
    package var asked: [RunFigures.Fact] = []
    /// What each phase asks for, in one line.
    package var phaseTexts: [String] = []

    package init(_ workload: Workload) { self.workload = workload }

    /// An echo asks nobody who they are.
    var clusterKeys: ClientKeys? { isEcho ? nil : keys }

    /// The keys that were there in the beginning, in the phase that has most.
    var keyCountMax: Int { workload.phases.reduce(1) { max($0, $1.keyCount) } }

    var verifies: Bool { workload.phases.contains(where: \.verifies) }
}
