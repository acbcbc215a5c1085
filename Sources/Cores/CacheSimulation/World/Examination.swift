import CacheInvalidation
import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore

/// Calm after the faults, and the examination at the end.
final class Examination: WorldPart {
    let timeline: Timeline
    private let nodes: SimulatedNodes
    private let configuration: ClusterConfiguration
    private let readers: SimulatedReaders
    private let writers: SimulatedWriters
    private var recoveryEnds = WorldTime.beginning
    /// How often the last invalidation may be asked for again.
    private var repetitionsLeft = 5
    /// Shards that have yet to pass.
    private var examined: Set<ShardPlace> = []

    init(_ readers: SimulatedReaders, _ writers: SimulatedWriters) {
        (timeline, nodes) = (readers.timeline, readers.nodes)
        configuration = readers.configuration
        (self.readers, self.writers) = (readers, writers)
    }

    /// The faults are over.
    func begin() {
        recoveryEnds = now + settings.recovery
        plan(.inspection, within: 2_500_000...3_000_000)
    }

    /// All nodes must recover within bounded time, whatever happened.
    func inspect() throws(Violation) {
        for run in nodes.runs where run.isSuperseded { nodes.kill(run) }
        guard let sentence = whatIsWrong() else {
            note(.world, "is well")
            timeline.phase = .examination
            return writers.sendLast()
        }
        guard now < recoveryEnds else { throw Violation("long after the last fault \(sentence)") }
        plan(.inspection, within: 200_000...300_000)
    }

    private func whatIsWrong() -> String? {
        guard let publisher = nodes.publishers.leader, publisher.runs,
            publisher.core.log.hasHistory
        else { return "there is no publisher" }
        let head = publisher.core.log.head
        guard publisher.core.areMembersSettled != false else { return "members are not settled" }
        if let table = publisher.core.slots.table, !table.hasOwners || table.unserved != nil {
            return "slots are not answered for"
        }
        for node in 0..<settings.nodeCount {
            let run = nodes.runs[nodes.newestRun[node]]
            guard run.runs else { return "n\(node) does not run" }
            let state = run.control.standing.state
            guard state == .live else { return "n\(node) is \(state)" }
            if run.shards.contains(where: \.isHeldUp) { return "a shard of n\(node) hangs" }
            for shard in run.shards where shard.memory.mark != head {
                return "n\(node) stands at \(shard.memory.mark), the publisher at \(head)"
            }
        }
        return nil
    }

    /// All nodes have applied it; now every shard must be usable again.
    func goOn(after receipt: Receipt) throws(Violation) {
        // A shared store may answer so late that a short lease ends meanwhile, without a fault.
        if settings.shared != nil, receipt.isComplete, repetitionsLeft > 0,
            receipt.applied.count < settings.nodeCount
        {
            repetitionsLeft -= 1
            timeline.phase = .calm
            return plan(.inspection, within: 200_000...300_000)
        }
        try Violation.unless(
            receipt.isComplete && receipt.applied.count == settings.nodeCount,
            "all faults are over, and the receipt for \(receipt.position) lists only "
                + "\(receipt.applied.count) of \(settings.nodeCount) nodes as applied")
        // A lease that was given before the node knew its configuration lasts five seconds.
        recoveryEnds = now + .milliseconds(10_000)
        for run in nodes.newestRun {
            for shard in nodes.runs[run].shards
            where configuration.firstItem(of: shard.place) != nil {
                examined.insert(shard.place)
                // A request that is never answered must not keep the world going.
                timeline.add(.examination(shard.place), at: recoveryEnds)
                try examine(shard.place)
            }
        }
        try Violation.unless(!examined.isEmpty, "all faults are over, and no shard owns a key")
    }

    /// Requests the shard's first key, until it is loaded, stored and found. A shard that has lost
    /// all of its keys meanwhile has passed.
    func examine(_ place: ShardPlace) throws(Violation) {
        guard examined.contains(place) else { return }
        guard let item = configuration.firstItem(of: place) else { return pass(place) }
        try Violation.unless(
            now < recoveryEnds,
            "all faults are over, and \(place) neither finds nor stores a value")
        readers.get(Request(purpose: .proof(item), place: place, items: [item]))
    }

    /// A shard has answered.
    func judge(_ place: ShardPlace, _ item: Int, _ answer: Answer) {
        let outcome = answer.outcomes.first
        if outcome?.isFresh == true { return pass(place) }
        if let outcome, outcome.status == .miss, let token = outcome.token {
            readers.beginLoad(item, token, outcome.renewable, answer)
        }
        timeline.add(.examination(place), at: now + .milliseconds(50))
    }

    private func pass(_ place: ShardPlace) {
        note(.shard(place), "has passed")
        examined.remove(place)
        if examined.isEmpty { timeline.phase = .over }
    }
}
