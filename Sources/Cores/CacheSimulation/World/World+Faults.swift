/// The kinds, times and durations of faults.
extension World {
    func faultStrikes() throws(Violation) {
        guard !isCalm else { return }
        plan(.faultStrikes, within: settings.faultEveryMicroseconds)
        guard !settings.faults.isEmpty else { return }
        let kinds = FaultKinds.each.filter { settings.faults.contains($0) }
        let alive = runs.filter { !$0.isDead }
        guard !alive.isEmpty else { return }
        let run = dice.pick(alive)
        let kind = dice.pick(kinds)
        tally.count(kind)
        switch kind {
        case .partitions: partition(run)
        case .badLinks: worsen(dice.pick([run.links.live, dice.pick(run.links.all)]))
        case .pauses: pause(run)
        case .nodeDeaths: try die(run)
        case .doubles: try double(run)
        case .publisherDeaths:
            switch dice.below(10) {
            case 0..<4: loseTail(except: run)
            case 4..<6: try stopPublisher()
            default: publisherDies()
            }
        case .naps: nap(run)
        case .hangs: dice.pick(run.shards).isAboutToHang = true
        case .diskFaults: jumpWallClock()
        default: resetConnections(run)
        }
    }

    private func lasts(_ fault: Fault) {
        let longest = 2_500 * settings.leaseMilliseconds
        queue.add(.faultEnds(fault), at: now + dice.span(microseconds: 5_000...longest))
    }

    /// Cuts or delays one or all links to and from the publisher.
    private func partition(_ run: SimulatedRun) {
        note(.node(run.number), "is cut off")
        let ways = [run.links.live, run.links.toPublisher, run.links.fromPublisher]
        let chosen = dice.chance(perMille: 600) ? ways : [dice.pick(ways)]
        let isHeldUp = dice.chance(perMille: 400)
        for link in chosen {
            if isHeldUp { links[link].holdCount += 1 } else { links[link].cutCount += 1 }
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
            links[link].cutCount += 1
            queue.add(.faultEnds(.cut(link: link)), at: end)
        }
    }

    private func worsen(_ link: Int) {
        note(.world, "worsens link", link)
        links[link].dropPerMille = dice.pick([20, 200, 700])
        links[link].delayMicroseconds = 100...dice.pick([5_000, 500_000])
        // Requests are not duplicated: a client that asks twice is another client.
        let isData = runs.contains { $0.links.requests == link || $0.links.answers == link }
        if !isData { links[link].duplicatePerMille = dice.pick([0, 200]) }
        lasts(.bad(link: link))
    }

    private func pause(_ run: SimulatedRun) {
        if dice.chance(perMille: 150) {
            note(.publisher, "is paused")
            publisher.pauseCount += 1
            return lasts(.pausePublisher)
        }
        note(.node(run.number), "is paused")
        run.pauseCount += 1
        lasts(.pauseNode(run: run.number))
    }

    private func die(_ run: SimulatedRun) throws(Violation) {
        guard !drawsPowerLoss() else {
            if tierDice.chance(perMille: 500) { try stop(run) }
            return losePower(of: run.node)
        }
        if dice.chance(perMille: 300) { try stop(run) } else { kill(run) }
    }

    private func double(_ run: SimulatedRun) throws(Violation) {
        guard !run.isSuperseded, members.contains(run.node) else { return }
        note(.node(run.number), "is paused and started once more")
        run.pauseCount += 1
        run.isSuperseded = true
        try startNode(run.node)
        lasts(.doubleNode(run: run.number))
    }

    /// Ends the publisher in order.
    private func stopPublisher() throws(Violation) {
        guard publisher.runs else { return }
        try closeLog()
        killPublisher()
        if disk != nil, settings.faults.contains(.diskFaults), dice.chance(perMille: 300) {
            publisher.damage = disk?.damage(publisher.copies, &dice)
        }
        plan(.publisherStarts, within: 1_000...1_000 * settings.leaseMilliseconds)
    }

    func publisherDies() {
        guard publisher.isUp else { return }
        killPublisher()
        loseDisk()
        plan(.publisherStarts, within: 1_000...1_000 * settings.leaseMilliseconds)
    }

    /// Only one run receives the last records. Then the publisher dies, and that run is unreachable
    /// while the next publisher finds out where its log continues.
    private func loseTail(except survivor: SimulatedRun) {
        note(.node(survivor.number), "alone hears the end of the log")
        for run in runs where !run.isDead && run.number != survivor.number {
            for link in [run.links.live, run.links.fromPublisher] {
                links[link].cutCount += 1
                queue.add(.faultEnds(.cut(link: link)), at: now + .milliseconds(100))
            }
        }
        plan(.publisherDies(leavingOut: survivor.number), within: 20_000...100_000)
    }

    func publisherDies(leavingOut run: SimulatedRun) throws(Violation) {
        guard publisher.isUp else { return }
        publisherDies()
        for link in [run.links.toPublisher, run.links.live] {
            links[link].cutCount += 1
            let span = Span.milliseconds(settings.leaseMilliseconds * dice.number(in: 1...3))
            queue.add(.faultEnds(.cut(link: link)), at: now + span)
        }
    }

    private func resetConnections(_ run: SimulatedRun) {
        note(.node(run.number), "loses its connections")
        loseConnections(run)
        plan(.reconnects(run: run.number), within: 1_000...100_000)
    }

    func end(_ fault: Fault) {
        switch fault {
        case .cut(let link): links[link].cutCount -= 1
        case .hold(let link): release(link)
        case .bad(let link):
            links[link].dropPerMille = 0
            links[link].duplicatePerMille = 0
            links[link].delayMicroseconds = settings.linkDelayMicroseconds
        case .pauseNode(let run), .doubleNode(let run): wakeUp(runs[run])
        case .pausePublisher:
            publisher.pauseCount -= 1
            publisher.upSince = now
            if publisher.runs { wakePublisher(at: soon()) }
        }
    }
}
