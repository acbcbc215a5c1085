import CacheModel

/// A fault of several publishers or their store with a duration, and what to undo at its end.
enum SharedFault {
    case pause(publisher: Int)
    case storeCut(publisher: Int)
    case linksCut([Int])
    case outage
    case lateness
    case hang
    case fullStore
}

/// The kinds, times and durations of the faults of several publishers and of their store.
struct SharedFaultSchedule: WorldPart {
    let nodes: SimulatedNodes
    let process: SharedPublisherProcess
    let store: StoreService

    var timeline: Timeline { nodes.timeline }
    private var publishers: SimulatedPublishers { nodes.publishers }
    private var network: SimulatedNetwork { nodes.network }

    private var chance: Dice {
        get { timeline.separate.shared }
        nonmutating set { timeline.separate.shared = newValue }
    }

    func planFaults() {
        guard !isCalm, let shared = settings.shared, !shared.faults.isEmpty else { return }
        let pause = chance.number(in: shared.faultEveryMicroseconds)
        timeline.add(.sharedFaultStrikes, at: now + .microseconds(pause))
    }

    func strike() {
        guard !isCalm, let shared = settings.shared else { return }
        planFaults()
        count(.sharedFaults)
        let publisher = drawPublisher()
        switch chance.pick(SharedFaults.each.filter { shared.faults.contains($0) }) {
        case .deaths: process.die(publisher, losesDisk: chance.chance(perMille: 200))
        case .farewells: process.leave(publisher, isStopping: chance.chance(perMille: 500))
        case .pauses: pause(publisher)
        case .storeCuts: cutStore(publisher)
        case .nodeCuts: cutNodes(publisher)
        case .outages: begin(.outage, 200...4_000) { $0.isDown = true }
        case .lateness: begin(.lateness, 1_000...6_000) { $0.isLate = true }
        case .hangs:
            store.hang()
            lasts(.hang, 2_000...9_000)
        case .leaderChanges:
            if chance.chance(perMille: 500) { store.changeLeader() } else { store.endLeaderEarly() }
        case .fullStores: begin(.fullStore, 500...4_000) { $0.isFull = true }
        default:
            store.restore()
            process.judges.lives.noteRestored()
        }
    }

    /// Mostly the one that leads.
    private func drawPublisher() -> SimulatedPublisher {
        let leader = publishers.all.first { $0.runs && $0.shared.isLeading }
        if let leader, chance.chance(perMille: 700) { return leader }
        return chance.pick(publishers.all)
    }

    private func lasts(_ fault: SharedFault, _ milliseconds: ClosedRange<Int>) {
        let span = Span.milliseconds(chance.number(in: milliseconds))
        timeline.add(.sharedFaultEnds(fault), at: now + span)
    }

    private func begin(
        _ fault: SharedFault, _ milliseconds: ClosedRange<Int>,
        _ change: (inout StoreService.Trouble) -> Void
    ) {
        note(.world, "store is in trouble")
        change(&store.trouble)
        lasts(fault, milliseconds)
    }

    private func pause(_ publisher: SimulatedPublisher) {
        note(.publisher, "is paused, publisher", publisher.index)
        publisher.pauseCount += 1
        lasts(.pause(publisher: publisher.index), 100...chance.pick([2_000, 5_000, 20_000]))
    }

    private func cutStore(_ publisher: SimulatedPublisher) {
        note(.publisher, "is cut off from its store, publisher", publisher.index)
        let way = chance.below(3)
        if way != 0 { store.trouble.deafTo.insert(publisher.index) }
        if way != 1 { store.trouble.dumbTo.insert(publisher.index) }
        lasts(.storeCut(publisher: publisher.index), 200...6_000)
    }

    /// Some nodes, or the writers, cannot reach the publisher or hear it.
    private func cutNodes(_ publisher: SimulatedPublisher) {
        note(.publisher, "is cut off from nodes, publisher", publisher.index)
        let way = chance.below(3)
        var cut: [Int] = []
        for run in nodes.alive where chance.chance(perMille: 700) {
            let links = run.linksByPublisher[publisher.index]
            if way != 0 { cut += [links.toPublisher] }
            if way != 1 { cut += [links.fromPublisher, links.live] }
        }
        if chance.chance(perMille: 300) {
            cut += [publisher.writerLinks.toPublisher, publisher.writerLinks.fromPublisher]
        }
        for link in cut { network.cut(link) }
        lasts(.linksCut(cut), 200...6_000)
    }

    func end(_ fault: SharedFault) throws(Violation) {
        switch fault {
        case .pause(let publisher):
            let publisher = publishers.all[publisher]
            // A process that has died meanwhile was not continued.
            if publisher.pauseCount > 0 { publisher.wakeUp() }
        case .storeCut(let publisher):
            try store.mend {
                $0.deafTo.remove(publisher)
                $0.dumbTo.remove(publisher)
            }
        case .linksCut(let links): for link in links { network.mend(link) }
        case .outage: try store.mend { $0.isDown = false }
        case .lateness: try store.mend { $0.isLate = false }
        case .hang: store.stopHanging()
        case .fullStore: try store.mend { $0.isFull = false }
        }
    }

    /// There are no faults any more.
    func heal() throws(Violation) {
        guard settings.shared != nil else { return }
        try store.heal()
        for publisher in publishers.all {
            while publisher.pauseCount > 0 { publisher.wakeUp() }
        }
    }
}
