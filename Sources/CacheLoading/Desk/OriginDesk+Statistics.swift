package import CacheModel

extension OriginDesk {
    /// What every gate has done since it was opened, and how it stands.
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
