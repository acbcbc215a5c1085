/// How often things happened: a simulation in which nothing went wrong has shown nothing.
package struct SimulationTally: Sendable {
    package internal(set) var events = 0
    var hits = 0
    var staleAnswers = 0
    var behindAnswers = 0
    var tokens = 0
    var stored = 0
    var invalidatedMeanwhile = 0
    var leasesVoid = 0
    var olderVersions = 0
    var lapsed = 0
    var records = 0
    var lostRecords = 0
    var completeReceipts = 0
    var incompleteReceipts = 0
    var receiptsWithExpired = 0
    var forgettings = 0
    var floorSnapshots = 0
    var suspicions = 0
    var gaps = 0
    var divergences = 0
    var epochs = 0
    var truncations = 0
    var overflows = 0
    var drops = 0
    var faults = 0
    var publisherStarts = 0
    var nodeStarts = 0

    package init() {}

    private static var paths: [(name: String, path: WritableKeyPath<Self, Int>)] {
        [
            ("events", \.events), ("hits", \.hits), ("stale", \.staleAnswers),
            ("behind", \.behindAnswers), ("tokens", \.tokens), ("stored", \.stored),
            ("invalidated meanwhile", \.invalidatedMeanwhile), ("leases void", \.leasesVoid),
            ("older versions", \.olderVersions), ("lapsed answers", \.lapsed),
            ("records", \.records), ("lost records", \.lostRecords),
            ("complete receipts", \.completeReceipts),
            ("incomplete receipts", \.incompleteReceipts),
            ("receipts with expired", \.receiptsWithExpired), ("forgettings", \.forgettings),
            ("floor snapshots", \.floorSnapshots), ("suspicions", \.suspicions), ("gaps", \.gaps),
            ("divergences", \.divergences),
            ("epochs", \.epochs), ("truncations", \.truncations), ("overflows", \.overflows),
            ("drops", \.drops), ("faults", \.faults), ("publisher starts", \.publisherStarts),
            ("node starts", \.nodeStarts),
        ]
    }

    /// What a hundred seeds may happen to go without.
    package static let rare: Set<String> = ["lapsed answers", "epochs"]

    /// Each figure under its name.
    package var figures: [(name: String, value: Int)] {
        Self.paths.map { ($0.name, self[keyPath: $0.path]) }
    }

    package mutating func add(_ other: Self) {
        for (_, path) in Self.paths { self[keyPath: path] += other[keyPath: path] }
    }
}
