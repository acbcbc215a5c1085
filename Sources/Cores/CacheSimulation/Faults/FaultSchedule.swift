/// The kinds, times and durations of faults.
///
/// It decides what breaks when. The effect is the affected part's.
struct FaultSchedule: WorldPart {
    let nodes: SimulatedNodes
    let nodeProcesses: NodeProcesses
    let publisherProcess: PublisherProcess
    let log: LogThread
    let tiers: TierFaultSchedule
    let configuration: ClusterConfiguration

    var timeline: Timeline { nodes.timeline }
    private var publisher: SimulatedPublisher { nodes.publisher }
    private var network: SimulatedNetwork { nodes.network }

    func faultStrikes() throws(Violation) {
        guard !isCalm else { return }
        plan(.faultStrikes, within: settings.faultEveryMicroseconds)
        guard !settings.faults.isEmpty else { return }
        let kinds = FaultKinds.each.filter { settings.faults.contains($0) }
        let alive = nodes.alive
        guard !alive.isEmpty else { return }
        let run = dice.pick(alive)
        let kind = dice.pick(kinds)
        timeline.tally.count(kind)
        switch kind {
        case .partitions: partition(run)
        case .badLinks: worsen(dice.pick([run.links.live, dice.pick(run.links.all)]))
        case .pauses: pause(run)
        case .nodeDeaths: try die(run)
        case .doubles: try double(run)
        case .publisherDeaths:
            switch dice.below(10) {
            case 0..<4: loseTail(except: run)
            case 4..<6: try publisherProcess.stop()
            default: publisherProcess.die()
            }
        case .naps: nap(run)
        case .hangs: dice.pick(run.shards).isAboutToHang = true
        case .diskFaults: log.jumpWallClock()
        default: resetConnections(run)
        }
    }

    private func lasts(_ fault: Fault) {
        let longest = 2_500 * settings.leaseMilliseconds
        timeline.add(.faultEnds(fault), at: now + dice.span(microseconds: 5_000...longest))
    }

    /// Cuts or delays one or all links to and from the publisher.
    private func partition(_ run: SimulatedRun) {
        note(.node(run.number), "is cut off")
        let ways = [run.links.live, run.links.toPublisher, run.links.fromPublisher]
        let chosen = dice.chance(perMille: 600) ? ways : [dice.pick(ways)]
        let isHeldUp = dice.chance(perMille: 400)
        for link in chosen {
            if isHeldUp { network.hold(link) } else { network.cut(link) }
        }
        // Each link recovers in its own time.
        for link in chosen { lasts(isHeldUp ? .hold(link: link) : .cut(link: link)) }
    }

    /// Stops all messages for a lease or more, and then delivers them all at once.
    private func nap(_ run: SimulatedRun) {
        note(.node(run.number), "takes a nap")
        let lease = settings.leaseMilliseconds
        let end = now + .milliseconds(dice.number(in: lease / 2...2 * lease))
        for link in [run.links.live, run.links.toPublisher, run.links.fromPublisher] {
            network.cut(link)
            timeline.add(.faultEnds(.cut(link: link)), at: end)
        }
    }

    private func worsen(_ link: Int) {
        let isData = nodes.runs.contains { $0.links.requests == link || $0.links.answers == link }
        network.worsen(link, mayDuplicate: !isData)
        lasts(.bad(link: link))
    }

    private func pause(_ run: SimulatedRun) {
        if settings.shared == nil, dice.chance(perMille: 150) {
            note(.publisher, "is paused")
            publisher.pauseCount += 1
            return lasts(.pausePublisher)
        }
        note(.node(run.number), "is paused")
        run.pauseCount += 1
        lasts(.pauseNode(run: run.number))
    }

    private func die(_ run: SimulatedRun) throws(Violation) {
        guard !tiers.drawsPowerLoss() else {
            if tiers.drawsStop() { try nodeProcesses.stop(run) }
            return tiers.losePower(of: run.node)
        }
        if dice.chance(perMille: 300) { try nodeProcesses.stop(run) } else { nodes.kill(run) }
    }

    private func double(_ run: SimulatedRun) throws(Violation) {
        guard !run.isSuperseded, configuration.members.contains(run.node) else { return }
        note(.node(run.number), "is paused and started once more")
        run.pauseCount += 1
        run.isSuperseded = true
        try nodeProcesses.start(run.node)
        lasts(.doubleNode(run: run.number))
    }

    /// Only one run receives the last records. Then the publisher dies, and that run is unreachable
    /// while the next publisher finds out where its log continues.
    private func loseTail(except survivor: SimulatedRun) {
        note(.node(survivor.number), "alone hears the end of the log")
        for run in nodes.runs where !run.isDead && run.number != survivor.number {
            for link in [run.links.live, run.links.fromPublisher] {
                network.cut(link)
                timeline.add(.faultEnds(.cut(link: link)), at: now + .milliseconds(100))
            }
        }
        plan(.publisherDies(leavingOut: survivor.number), within: 20_000...100_000)
    }

    func publisherDies(leavingOut run: SimulatedRun) {
        guard publisher.isUp else { return }
        publisherProcess.die()
        for link in [run.links.toPublisher, run.links.live] {
            network.cut(link)
            let span = Span.milliseconds(settings.leaseMilliseconds * dice.number(in: 1...3))
            timeline.add(.faultEnds(.cut(link: link)), at: now + span)
        }
    }

    private func resetConnections(_ run: SimulatedRun) {
        note(.node(run.number), "loses its connections")
        nodes.loseConnections(run)
        plan(.reconnects(run: run.number), within: 1_000...100_000)
    }

    func end(_ fault: Fault) {
        switch fault {
        case .cut(let link): network.mend(link)
        case .hold(let link): network.release(link)
        case .bad(let link): network.heal(link)
        case .pauseNode(let run), .doubleNode(let run): nodes.wakeUp(nodes.runs[run])
        case .pausePublisher: publisher.wakeUp()
        }
    }
}
