import CacheDisk
import CacheModel

/// Faults of disk tiers, and of the memory above them.
struct TierFaultSchedule: WorldPart {
    let nodes: SimulatedNodes

    var timeline: Timeline { nodes.timeline }
    private var files: TierFiles { nodes.files }

    private func planTier(_ event: Event, within microseconds: ClosedRange<Int>) {
        timeline.add(
            event, at: now + .microseconds(timeline.separate.tiers.number(in: microseconds)))
    }

    func planTierTrouble() {
        guard let tiers = settings.tiers else { return }
        count(.diskSeeds)
        if !tiers.faults.isEmpty {
            planTier(.tierFaultStrikes, within: tiers.faultEveryMicroseconds)
        }
        if let every = tiers.shortageMicroseconds { planTier(.memoryIsShort, within: every) }
        if files.space != nil { planSpace() }
    }

    private func planSpace() {
        guard let space = files.space else { return }
        let microseconds = timeline.separate.space.number(in: space.everyMicroseconds)
        timeline.add(.tierSpaceChanges, at: now + .microseconds(microseconds))
    }

    func tierSpaceChanges() {
        guard !isCalm, let space = files.space else { return }
        planSpace()
        let places = timeline.separate.space.pick(files.places)
        let free = space.freeBytes(&timeline.separate.space)
        let reserveFailure =
            timeline.separate.space.chance(perMille: 250) ? DiskFailure.noRoom : nil
        let releaseFailure =
            timeline.separate.space.chance(perMille: 150) ? DiskFailure.noRoom : nil
        for place in places {
            place.freeBytes = free
            (place.reserveFailure, place.releaseFailure) = (reserveFailure, releaseFailure)
        }
        note(.world, "has free bytes on the disk of node", places[0].node)
    }

    func tierFaultStrikes() {
        guard !isCalm, let tiers = settings.tiers else { return }
        planTier(.tierFaultStrikes, within: tiers.faultEveryMicroseconds)
        let place = timeline.separate.tiers.pick(timeline.separate.tiers.pick(files.places))
        switch timeline.separate.tiers.pick(TierFaults.each.filter(tiers.faults.contains)) {
        case .slow: place.isSlow = true
        case .failing:
            let failure = timeline.separate.tiers.pick([
                DiskFailure.noRoom, .readOnly, .device("it fails"),
            ])
            let which = timeline.separate.tiers.below(3)
            if which != 0 { place.writeFailure = failure }
            if which != 1 { place.readFailure = failure }
        case .flips: return flip(place)
        case .locked: place.isLocked = true
        // These wait for a node's death.
        default: return
        }
        count(.diskTierFaults)
        note(.world, "troubles the disk of node", place.node)
        planTier(.tierHeals(node: place.node, shard: place.shard), within: 1_000...1_200_000)
    }

    private func flip(_ place: SimulatedTierPlace) {
        count(.diskTierFaults)
        note(.world, "flips a bit on the disk of node", place.node)
        guard let storage = place.storage else { return place.flip(&timeline.separate.tiers) }
        let geometry = place.geometry
        // The mapped part is in memory.
        let offset = timeline.separate.tiers.below(geometry.fileBytes - geometry.tailBytes)
        storage.file.flip(
            bit: UInt8(timeline.separate.tiers.below(8)),
            at: offset < geometry.tailOffset ? offset : offset + geometry.tailBytes)
    }

    func tierHeals(_ place: SimulatedTierPlace) {
        (place.writeFailure, place.readFailure) = (nil, nil)
        (place.isSlow, place.isLocked) = (false, false)
    }

    func healTiers() {
        guard settings.tiers != nil else { return }
        for place in files.places.joined() {
            tierHeals(place)
            place.freeBytes = files.space?.plentyBytes ?? 0
            (place.reserveFailure, place.releaseFailure) = (nil, nil)
        }
        for run in nodes.alive {
            for shard in run.shards { setBudget(.max, of: shard) }
        }
    }

    // MARK: A node is down

    /// The machine loses its power, with everything that runs there.
    func losePower(of node: Int) {
        note(.world, "loses the power of node", node)
        count(.powerLosses)
        for run in nodes.runs where run.node == node { nodes.kill(run) }
        // Bytes that were not synchronized may be lost; the machine's clock starts anew.
        for place in files.places[node] { place.losePower(&timeline.separate.tiers) }
        files.bootCounts[node] += 1
        nodes.clocks[node] = Clock(&timeline.separate.tiers)
    }

    /// Whether the machine loses its power when a node dies.
    func drawsPowerLoss() -> Bool {
        settings.tiers?.faults.contains(.powerLosses) == true
            && timeline.separate.tiers.chance(perMille: 400)
    }

    /// Whether the node ends in order right before that.
    func drawsStop() -> Bool { timeline.separate.tiers.chance(perMille: 500) }

    // MARK: Memory

    /// A shard's memory limit shrinks to almost nothing, or is restored.
    func memoryIsShort() {
        guard !isCalm, let every = settings.tiers?.shortageMicroseconds else { return }
        planTier(.memoryIsShort, within: every)
        let alive = nodes.alive
        guard !alive.isEmpty else { return }
        let budget = timeline.separate.tiers.pick([1, 300, 1_500, .max, .max])
        setBudget(
            budget, of: timeline.separate.tiers.pick(timeline.separate.tiers.pick(alive).shards))
    }

    private func setBudget(_ bytes: Int, of shard: SimulatedShard) {
        nodes.post(.memoryBudget(bytes), to: shard)
    }
}
