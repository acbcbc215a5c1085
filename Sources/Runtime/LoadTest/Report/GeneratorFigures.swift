/// The cost of the load itself, and whether the generator was the bottleneck.
package struct GeneratorFigures: Equatable, Sendable {
    /// Processor time of the generator's threads; `nil` if it was not measured.
    package var processorSeconds: Double?
    /// Running time of those threads, added up: an upper bound of their processor time.
    package var threadSeconds = 0.0
    /// The bottleneck of the rate; `nil` if unknown.
    package var limit: Limit?

    package init() {}

    package enum Limit: String, Sendable, CaseIterable {
        /// The generator had no time left: the cluster may be faster than this run shows.
        case generator
        /// The generator waited for answers.
        case cluster
        /// The generator waited for the answers of its own echo.
        case echo
        /// The requested rate was reached.
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

    /// Adds another thread's numbers. If the generator was the bottleneck of one, it is that of the
    /// sum.
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
    /// Its meaning, for a list.
    package var sentence: String {
        switch self {
        case .generator: "the generator was the limit"
        case .cluster: "the cluster was the limit, not the generator"
        case .echo: "the echo was the limit, not the generator"
        case .schedule: "the rate that was asked for was the limit"
        }
    }
}
