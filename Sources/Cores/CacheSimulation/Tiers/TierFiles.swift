import CacheDisk

/// The files of all disk tiers, by node and shard: they outlive the runs that use them.
///
/// All random choices about tiers use a separate generator, so that none of them changes the course
/// of a seed without tiers.
final class TierFiles: WorldPart {
    let timeline: Timeline
    /// How the file systems run short of space; `nil`: never.
    let space: TierSpaceSettings?
    /// Empty without tiers.
    let places: [[SimulatedTierPlace]]
    /// How often each node's machine has booted.
    var bootCounts: [Int]
    private var storageCount = 0

    init(_ timeline: Timeline) {
        self.timeline = timeline
        let settings = timeline.settings
        space = settings.tiers.flatMap {
            TierSpaceSettings(
                &timeline.separate.space, $0.geometry, shardCount: settings.shardCount)
        }
        let nodes = 0..<(settings.tiers == nil ? 0 : settings.nodeCount)
        places = nodes.map { node in
            (0..<settings.shardCount).compactMap { shard in
                settings.tiers.map {
                    SimulatedTierPlace(node: node, shard: shard, geometry: $0.geometry)
                }
            }
        }
        bootCounts = Array(repeating: 1, count: settings.nodeCount)
    }

    func open(_ place: SimulatedTierPlace, by run: SimulatedRun) -> SimulatedTierStorage {
        storageCount += 1
        return place.open(storageCount, by: run.number)
    }

    func carryOut(
        _ command: DiskCommand, _ storage: SimulatedTierStorage, _ place: SimulatedTierPlace
    ) -> DiskCompletion {
        (storage.file.writeFailure, storage.file.readFailure) =
            (place.writeFailure, place.readFailure)
        (storage.file.reserveFailure, storage.file.releaseFailure) =
            (place.reserveFailure, place.releaseFailure)
        let completion = storage.file.carryOut(command)
        switch (command, completion.outcome) {
        case (.write(_, let bytes, _), .failed):
            storage.file.tear(command, after: timeline.separate.tiers.below(bytes.count + 1))
        case (.synchronize, .done):
            place.synchronize()
            if timeline.separate.tiers.chance(perMille: 100) { place.copy() }
        case (.read, .read): count(.diskReads)
        default: break
        }
        return completion
    }

    /// The duration of the next step of a file.
    func workSpan(at place: SimulatedTierPlace?) -> Span {
        guard let tiers = settings.tiers else { return .zero }
        let span = timeline.separate.tiers.span(microseconds: tiers.workMicroseconds)
        guard place?.isSlow == true else { return span }
        return span + timeline.separate.tiers.span(microseconds: 1_000...1_500_000)
    }

    /// The process was killed: completed writes are there, and perhaps a part of the write in
    /// progress.
    ///
    /// - Parameter isDown: whether no run of the node is left.
    func close(of run: SimulatedRun, isDown: Bool) {
        guard settings.tiers != nil else { return }
        for place in places[run.node] {
            guard let storage = place.storage, storage.run == run.number else { continue }
            if let command = storage.writes.first, case .write(_, let bytes, _) = command,
                timeline.separate.tiers.chance(perMille: 400)
            {
                storage.file.tear(command, after: timeline.separate.tiers.below(bytes.count + 1))
            }
            place.release()
        }
        if isDown, !isCalm { damage(of: run.node) }
    }

    private func damage(of node: Int) {
        guard let tiers = settings.tiers else { return }
        for place in places[node] {
            if tiers.faults.contains(.flips), timeline.separate.tiers.chance(perMille: 300) {
                note(.world, "flips a bit on the disk of node", node)
                count(.diskTierFaults)
                for _ in 0..<timeline.separate.tiers.pick([1, 1, 30]) {
                    place.flip(&timeline.separate.tiers)
                }
            }
            guard tiers.faults.contains(.replaced), timeline.separate.tiers.chance(perMille: 400)
            else { continue }
            note(.world, "replaces the disk tier of node", node)
            count(.diskTierFaults)
            switch timeline.separate.tiers.below(3) {
            case 0: place.remove()
            case 1: place.cut(&timeline.separate.tiers)
            default: place.putBack(&timeline.separate.tiers)
            }
        }
    }
}
