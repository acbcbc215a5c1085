package import CacheModel

extension OriginDesk {
    /// Counters of every gate since it was opened, and its current state.
    ///
    /// - Complexity: O(gates).
    package var statistics: [Namespace: GateStatistics] {
        gateNumbers.mapValues { gates[$0.index].statistics }
    }

    /// `nil`: the namespace has no origin.
    package func statistics(of namespace: Namespace) -> GateStatistics? {
        gateNumbers[namespace].map { gates[$0.index].statistics }
    }
}
