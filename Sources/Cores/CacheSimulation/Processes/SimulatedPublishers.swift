import CacheModel
import CacheNodeCore
import SharedLogCore

/// The publishers of a world: one that is alone, or several that lead one log in turn.
final class SimulatedPublishers: WorldPart {
    /// The peers of each publisher have numbers of their own.
    static let peersMax: UInt32 = 1 << 24

    let timeline: Timeline
    let all: [SimulatedPublisher]
    /// The one that had the last turn: the judges judge what it sends.
    var acting: SimulatedPublisher
    /// Each core of any publisher is a new generation.
    private(set) var generation = 0

    init(_ network: SimulatedNetwork) {
        timeline = network.timeline
        all = (0..<(network.settings.shared?.publisherCount ?? 1)).map {
            SimulatedPublisher(network, index: $0)
        }
        acting = all[0]
    }

    subscript(peer peer: UInt32) -> SimulatedPublisher {
        all[Int(peer / Self.peersMax)]
    }

    func nextGeneration() -> Int {
        generation += 1
        return generation
    }

    /// The publisher that leads as far as it knows; `nil` if none or several do.
    var leader: SimulatedPublisher? {
        guard settings.shared != nil else { return all[0] }
        let leaders = all.filter { $0.runs && $0.shared.isLeading }
        return leaders.count == 1 ? leaders.first : nil
    }

    /// The publisher behind a control or a live endpoint; `nil` if it is none.
    func index(at endpoint: String) -> Int? {
        all.firstIndex { [$0.endpoints.control, $0.endpoints.live].contains(endpoint) }
    }

    /// Where nodes find them; empty for one that is alone.
    var addresses: [PublisherAddress] {
        guard settings.shared != nil else { return [] }
        return all.map { PublisherAddress(control: $0.endpoints.control) }
    }

    func next(after index: Int) -> Int { (index + 1) % all.count }
}

/// What one of several publishers has beside its core.
struct SharedStanding {
    /// `nil` while it is down.
    var keeper: SharedLogKeeper?
    /// Each start is a new process.
    var process = 0
    /// On its disk, which outlives the process.
    var furthest = FurthestMark.none
    /// Outcomes of requests to the store that its thread has not taken yet.
    var answers: [(SharedLogKeeper.Purpose, StoreOutcome)] = []
    /// Whether its core leads a term, as far as it knows.
    var isLeading = false
    var term: LeaderValue?
    /// The lease in its configuration.
    var lease: Duration = .zero
    /// Whether it gives its term up, and whether its process ends then.
    var leaving: (isStopping: Bool, Void)?
    var letters: [SharedLogKeeper.Letter] = []
}
