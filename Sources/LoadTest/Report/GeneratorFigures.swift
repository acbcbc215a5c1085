/// What the load itself cost, and whether it was the limit.
package struct GeneratorFigures: Equatable, Sendable {
    /// Processor time of the threads that made the load; `nil` if it was not measured.
    package var processorSeconds: Double?
    /// How long those threads ran, added up: the most processor time they could have used.
    package var threadSeconds = 0.0
    /// What kept the rate from being higher; `nil` if it cannot be told.
    package var limit: Limit?

    package init() {}

    package enum Limit: String, Sendable, CaseIterable {
        /// The generator had no time left: the cluster may be faster than this run shows.
        case generator
        /// The generator waited for answers.
        case cluster
        /// The generator waited for the answers of its own echo.
        case echo
        /// The rate that was asked for was kept.
        case schedule
    }

    /// Share of its time for which the generator kept a processor busy, 0 to 1.
    package var busyShare: Double? {
        guard let processorSeconds, threadSeconds > 0 else { return nil }
        return processorSeconds / threadSeconds
    }

    /// Nanoseconds of processor time for each of `keyCount` keys.
    package func nanosecondsPerKey(_ keyCount: UInt64) -> Double? {
        guard let processorSeconds, keyCount > 0 else { return nil }
        return processorSeconds * 1e9 / Double(keyCount)
    }

    /// Adds another thread's. A generator that was the limit anywhere was the limit.
    package mutating func merge(_ other: GeneratorFigures) {
        if let added = other.processorSeconds {
            processorSeconds = (processorSeconds ?? 0) + added
        }
        threadSeconds += other.threadSeconds
        let limits = [limit, other.limit].compactMap(\.self)
        limit = Limit.allCases.first(where: limits.contains)
    }
}

extension GeneratorFigures.Limit {
    /// What it means, to be put into a list.
    package var sentence: String {
        switch self {
        case .generator: "the generator was the limit"
        case .cluster: "the cluster was the limit, not the generator"
        case .echo: "the echo was the limit, not the generator"
        case .schedule: "the rate that was asked for was the limit"
        }
    }
}
