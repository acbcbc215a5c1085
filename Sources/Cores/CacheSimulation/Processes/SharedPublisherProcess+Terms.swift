import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import SharedLogCore

/// The terms of one of several publishers, by the news of its keeper.
extension SharedPublisherProcess {
    func hear(
        _ news: SharedLogKeeper.News, _ publisher: SimulatedPublisher,
        into actions: inout [PublisherAction]
    ) throws(Violation) {
        switch news {
        case .lead(let term): try begin(term, publisher)
        case .end(.superseded(let other)):
            try endTerm(publisher, to: other, into: &actions)
        case .end(.resigned): try endTerm(publisher, to: nil, into: &actions)
        case .written(let written): hear(written, publisher, into: &actions)
        case .confirmed(let number, let seen):
            guard publisher.shared.isLeading else { return }
            channels.noteConfirmed()
            for mark in seen { publisher.core.heardOfLoss(mark.mark, of: mark.log) }
            takeOrders(of: publisher)
            publisher.core.confirmed(
                number, now: publisher.clock.reading(at: now), into: &actions)
        case .resigned:
            count(.resignations)
            try endTerm(publisher, to: nil, into: &actions)
            let isStopping = publisher.shared.leaving?.isStopping ?? false
            publisher.shared.leaving = nil
            if isStopping { stop(publisher) }
        case .report(.leaderChanged(let leader)):
            publisher.standby.leader = NotLeader(
                controlEndpoint: leader?.control ?? "", name: leader?.publisher ?? "")
        case .report(.damaged(let damage)):
            throw Violation("publisher \(publisher.index) cannot read the store: \(damage)")
        case .report: break
        case .refused(let why):
            throw Violation("publisher \(publisher.index) refuses its store: \(why)")
        }
    }

    /// A term begins as a publisher starts: with what the store has.
    private func begin(_ term: SharedTerm, _ publisher: SimulatedPublisher) throws(Violation) {
        if let seen = publisher.shared.keeper?.leadership.furthest {
            try ledger.judgeTerm(term.log, term.lost, seen: seen)
        }
        var plan = configuration.plan
        plan.lease = publisher.shared.lease
        plan.controlEndpoint = publisher.endpoints.control
        plan.liveEndpoint = publisher.endpoints.live
        publisher.begin(
            plan, SimulatedLog(term.log), generation: publishers.nextGeneration())
        (publisher.shared.isLeading, publisher.shared.term) = (true, term.leader)
        publisher.memory.membersAtStart = configuration.listed
        publisher.memory.hasDecided = term.log.hasHistory
        note(.publisher, "leads, publisher", publisher.index, at: term.log.head.position)
        let clock = publisher.clock.reading(at: now)
        publisher.core.recall(term.operations, term.floors, now: clock)
        try Violation.unless(
            publisher.core.resumeLives(term.state[.runs]),
            "a publisher cannot read the runs of nodes in its store")
        judges.log.noteTerm()
        let loss = publisher.core.resumeSlots(term.state[.slots])
        if let loss, loss.isExplained(by: settings) { ledger.noteSlotsLoss() }
        if let pacings = term.state[.pacings] {
            _ = publisher.core.resumePacings(pacings, now: clock)
        }
        publisher.core.setCluster(
            kept: term.state[.identity].flatMap { KeptCluster(reading: $0) },
            fresh: ClusterID(timeline.separate.shared.next() | 1))
        judges.lives.noteTable(
            isStored: term.state[.runs] != nil, openedEpoch: judges.log.openedEpoch)
        if let lost = term.lost {
            count(.epochs)
            publisher.core.openEpoch(behind: lost)
        }
        publisher.core.log.want(
            lease: publisher.core.longestLease(now: clock), now: clock)
        takeOrders(of: publisher)
        publisher.wake(at: soon())
    }

    /// The core is asked nothing any more; all that wait for it, and the nodes, are told at once.
    private func endTerm(
        _ publisher: SimulatedPublisher, to other: LeaderValue?,
        into actions: inout [PublisherAction]
    ) throws(Violation) {
        guard publisher.shared.isLeading else { return }
        note(.publisher, "leads no more, publisher", publisher.index)
        count(.lostTerms)
        let next = NotLeader(controlEndpoint: other?.control ?? "", name: other?.publisher ?? "")
        let earlier = actions.count
        publisher.core.handOver(to: next, into: &actions)
        for case .reply(let peer, let frame, _) in actions.dropFirst(earlier) {
            try judges.log.judgeHandOver(frame, to: PublisherChannels.number(of: peer))
        }
        for action in actions { try perform(action, of: publisher) }
        actions = []
        var writer = ByteWriter(capacityBytes: 64)
        Heartbeat.farewell.encode(into: &writer)
        try channels.broadcast(writer.array)
        (publisher.shared.isLeading, publisher.shared.term) = (false, nil)
        publisher.standby = StandbyCore()
        publisher.standby.leader = next
        if publisher.shared.leaving?.isStopping != true { publisher.shared.leaving = nil }
    }

    private func stop(_ publisher: SimulatedPublisher) {
        note(.publisher, "ends, publisher", publisher.index)
        end(publisher)
    }

    private func hear(
        _ news: SharedLogWriter.News, _ publisher: SimulatedPublisher,
        into actions: inout [PublisherAction]
    ) {
        guard publisher.shared.isLeading else { return }
        let clock = publisher.clock.reading(at: now)
        switch news {
        case .appended(let outcome):
            publisher.core.appended(outcome, now: clock, into: &actions)
        case .begun(let mark): publisher.core.log.begun(at: mark)
        case .stored(.runs, let failure):
            publisher.core.livesKept(failure, isGone: false, now: clock, into: &actions)
        case .stored(.pacings, let failure):
            publisher.core.kept(failure, now: clock, into: &actions)
        case .stored(.identity, let failure):
            publisher.core.clusterKept(failure == nil, now: clock)
        case .stored(.slots, let failure):
            publisher.core.slotsKept(failure == nil, now: clock)
        case .stored(.lease, let failure):
            publisher.core.log.leaseEnded(isStored: failure == nil, now: clock)
        case .deposed, .trouble: break
        }
    }
}
