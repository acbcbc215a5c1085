import MartletClient

extension Cluster {
    /// How many slots each node has, by the publisher's figures.
    func slots() async throws -> [String: UInt64] {
        let figures = try await client.cluster.publisherStatus().figures
        let counts = figures.filter { $0.key.hasPrefix("slots:") }
        return Dictionary(uniqueKeysWithValues: counts.map { (String($0.dropFirst(6)), $1) })
    }

    /// Whether every node knows the owners: what is stored from then on is stored at them.
    func areSlotsServed() async throws -> Bool {
        try await client.cluster.publisherStatus().figures["slots_waiting"] == 0
    }
}
