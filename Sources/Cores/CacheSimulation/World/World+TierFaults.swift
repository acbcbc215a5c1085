import CacheDisk
import CacheModel

/// Faults of disk tiers, and of the memory above them.
extension World {
    private func planTier(_ event: Event, within microseconds: ClosedRange<Int>) {
        queue.add(event, at: now + .microseconds(tierDice.number(in: microseconds)))
    }

    func planTierTrouble() {
        guard let tiers = settings.tiers else { return }
        tally.tierSeeds += 1
        if !tiers.faults.isEmpty {
            planTier(.tierFaultStrikes, within: tiers.faultEveryMicroseconds)
        }
        if let every = tiers.shortageMicroseconds { planTier(.memoryIsShort, within: every) }
        if space != nil { planSpace() }
    }

    private func planSpace() {
        guard let space else { return }
        let microseconds = spaceDice.number(in: space.everyMicroseconds)
        queue.add(.tierSpaceChanges, at: now + .microseconds(microseconds))
    }

    func tierSpaceChanges() {
        guard !isCalm, let space else { return }
        planSpace()
        let places = spaceDice.pick(tierPlaces)
        let free = space.freeBytes(&spaceDice)
        let reserveFailure = spaceDice.chance(perMille: 250) ? DiskFailure.noRoom : nil
        let releaseFailure = spaceDice.chance(perMille: 150) ? DiskFailure.noRoom : nil
        for place in places {
            place.freeBytes = free
            (place.reserveFailure, place.releaseFailure) = (reserveFailure, releaseFailure)
        }
        note(.world, "has free bytes on the disk of node", places[0].node)
    }

    func tierFaultStrikes() {
        guard !isCalm, let tiers = settings.tiers else { return }
        planTier(.tierFaultStrikes, within: tiers.faultEveryMicroseconds)
        let place = tierDice.pick(tierDice.pick(tierPlaces))
        switch tierDice.pick(TierFaults.each.filter(tiers.faults.contains)) {
        case .slow: place.isSlow = true
        case .failing:
            let failure = tierDice.pick([DiskFailure.noRoom, .readOnly, .device("it fails")])
            let which = tierDice.below(3)
            if which != 0 { place.writeFailure = failure }
            if which != 1 { place.readFailure = failure }
        case .flips: return flip(place)
        case .locked: place.isLocked = true
        // These wait for a node's death.
        default: return
        }
        tally.tierFaults += 1
        note(.world, "troubles the disk of node", place.node)
        planTier(.tierHeals(node: place.node, shard: place.shard), within: 1_000...1_200_000)
    }

    private func flip(_ place: SimulatedTierPlace) {
        tally.tierFaults += 1
        note(.world, "flips a bit on the disk of node", place.node)
        guard let storage = place.storage else { return place.flip(&tierDice) }
        let geometry = place.geometry
        // The mapped part is in memory.
        let offset = tierDice.below(geometry.fileBytes - geometry.tailBytes)
        storage.file.flip(
            bit: UInt8(tierDice.below(8)),
            at: offset < geometry.tailOffset ? offset : offset + geometry.tailBytes)
    }

    func tierHeals(_ place: SimulatedTierPlace) {
        (place.writeFailure, place.readFailure) = (nil, nil)
        (place.isSlow, place.isLocked) = (false, false)
    }

    func healTiers() {
        guard settings.tiers != nil else { return }
        for place in tierPlaces.joined() {
            tierHeals(place)
            place.freeBytes = space?.plentyBytes ?? 0
            (place.reserveFailure, place.releaseFailure) = (nil, nil)
        }
        for run in runs where !run.isDead {
            for shard in run.shards { setBudget(.max, of: shard) }
        }
    }

    // MARK: A node is down

    /// The machine loses its power, with everything that runs there.
    func losePower(of node: Int) {
        note(.world, "loses the power of node", node)
        tally.powerLosses += 1
        for run in runs where run.node == node { kill(run) }
        reboot(node)
    }

    /// Bytes that were not synchronized may be lost; the machine's clock starts anew.
    func reboot(_ node: Int) {
        for place in tierPlaces[node] { place.losePower(&tierDice) }
        bootCounts[node] += 1
        nodeClocks[node] = Clock(&tierDice)
    }

    /// Whether the machine loses its power when a node dies.
    func drawsPowerLoss() -> Bool {
        settings.tiers?.faults.contains(.powerLosses) == true && tierDice.chance(perMille: 400)
    }

    func damageTiers(of node: Int) {
        guard let tiers = settings.tiers else { return }
        for place in tierPlaces[node] {
            if tiers.faults.contains(.flips), tierDice.chance(perMille: 300) {
                note(.world, "flips a bit on the disk of node", node)
                tally.tierFaults += 1
                for _ in 0..<tierDice.pick([1, 1, 30]) { place.flip(&tierDice) }
            }
            guard tiers.faults.contains(.replaced), tierDice.chance(perMille: 400) else { continue }
            note(.world, "replaces the disk tier of node", node)
            tally.tierFaults += 1
            switch tierDice.below(3) {
            case 0: place.remove()
            case 1: place.cut(&tierDice)
            default: place.putBack(&tierDice)
            }
        }
    }

    // MARK: Memory

    /// A shard's memory limit shrinks to almost nothing, or is restored.
    func memoryIsShort() {
        guard !isCalm, let every = settings.tiers?.shortageMicroseconds else { return }
        planTier(.memoryIsShort, within: every)
        let alive = runs.filter { !$0.isDead }
        guard !alive.isEmpty else { return }
        let budget = tierDice.pick([1, 300, 1_500, .max, .max])
        setBudget(budget, of: tierDice.pick(tierDice.pick(alive).shards))
    }

    private func setBudget(_ bytes: Int, of shard: SimulatedShard) {
        shard.letters.append(.memoryBudget(bytes))
        wake(shard, at: soon())
    }
}
