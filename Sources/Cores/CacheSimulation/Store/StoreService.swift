import CacheModel
import SharedLogCore

/// The store as its publishers reach it: over a network, by its own clock, and with its faults.
///
///     publisher ── send ─▶ way there ─▶ SimulatedStore ─▶ way back ─▶ its mailbox
///                  └────── patience over: unknown ────────────────▶
///
/// A request that its publisher has given up may be executed later.
final class StoreService: WorldPart {
    /// A request under way.
    struct Flight {
        let publisher: Int
        /// The process that sent it: a later one gets no answer.
        var process: Int
        let purpose: SharedLogKeeper.Purpose
        let request: StoreRequest
        /// The term of its publisher at the time.
        let term: LeaderValue?
        /// The number of the publisher's core at the time.
        let generation: Int
        /// What the store made of it; `nil`: it was not executed.
        var outcome: StoreOutcome?
        /// Whether its connection broke with the store.
        var isLost = false

        /// No process, after the publisher has given it up.
        static let noProcess = -1
    }

    /// Faults that last.
    struct Trouble {
        var isDown = false
        var isLate = false
        var isFull = false
        /// Publishers that send requests in vain, and those that get no answers.
        var deafTo: Set<Int> = []
        var dumbTo: Set<Int> = []
    }

    /// How often the store looks for leases that have ended, as etcd does.
    private static let leaseCheck = Span.milliseconds(500)
    private static let copiesMax = 4

    let timeline: Timeline
    private let publishers: SimulatedPublishers
    private let ledger: StoreLedger
    private(set) var store = SimulatedStore()
    var trouble = Trouble()
    private var flights: [Int: Flight] = [:]
    private var flightCount = 0
    /// Requests that wait for the end of an outage.
    private var waiting: [Int] = []
    private var leaseEnds: [StoreLease: WorldTime] = [:]
    /// Earlier states, for a later fault to restore.
    private var copies: [SimulatedStore] = []

    init(_ publishers: SimulatedPublishers, _ ledger: StoreLedger) {
        (timeline, self.publishers, self.ledger) = (publishers.timeline, publishers, ledger)
    }

    private var ways: ClosedRange<Int> { settings.shared?.storeMicroseconds ?? 1...1 }
    private var patience: Span { settings.shared?.patience ?? .milliseconds(1_000) }

    private func drawWay() -> Span {
        let span = timeline.separate.shared.span(microseconds: ways)
        guard trouble.isLate, timeline.separate.shared.chance(perMille: 150) else { return span }
        return .milliseconds(timeline.separate.shared.number(in: 100...5_000))
    }

    /// The lease of a term of leadership, as the store counts it.
    private static var leaseTime: Span {
        Span(nanoseconds: SharedLogLimits.leaderLease.wholeNanoseconds)
    }

    // MARK: Requests

    func send(
        _ purpose: SharedLogKeeper.Purpose, _ request: StoreRequest,
        from publisher: SimulatedPublisher
    ) {
        flightCount += 1
        let flight = Flight(
            publisher: publisher.index, process: publisher.shared.process, purpose: purpose,
            request: request, term: publisher.shared.keeper?.leadership.term,
            generation: publisher.generation)
        flights[flightCount] = flight
        timeline.add(.storeIsGivenUp(flightCount), at: now + patience)
        guard !trouble.deafTo.contains(publisher.index) else { return }
        timeline.add(.storeIsAsked(flightCount), at: now + drawWay())
    }

    /// A request reaches the store.
    func arrives(_ number: Int) throws(Violation) {
        guard let flight = flights[number], !flight.isLost else { return }
        guard !trouble.isDown else {
            switch timeline.separate.shared.below(4) {
            case 0: answer(number, .failure(.unknown("etcdserver: no leader")))
            case 1: break  // It is lost.
            default: waiting.append(number)
            }
            return
        }
        if flight.process == Flight.noProcess { count(.lateExecutions) }
        let outcome = try execute(flight)
        answer(number, outcome)
    }

    private func execute(_ flight: Flight) throws(Violation) -> StoreOutcome {
        let before = store
        switch flight.request {
        case .keepAlive(let lease) where store.leases.contains(lease) && !store.confirmsFalsely:
            leaseEnds[lease] = now + Self.leaseTime
        case .grantLease where trouble.isFull:
            return .failure(.refused("etcdserver: mvcc: database space exceeded"))
        default: break
        }
        let outcome = store.execute(flight.request)
        ledger.leading = ledger.leader(in: store)
        if case .success(let answer) = outcome, case .lease(let lease) = answer.content {
            leaseEnds[lease] = now + Self.leaseTime
        }
        guard case .transaction(let transaction) = flight.request,
            case .success(let answer) = outcome, case .transaction(true, _) = answer.content,
            !transaction.changes.isEmpty
        else { return outcome }
        try ledger.judge(transaction, of: flight, on: before)
        drawCopy()
        // etcd says so after it has made the changes.
        guard trouble.isFull, timeline.separate.shared.chance(perMille: 700) else { return outcome }
        return .failure(.unknown("etcdserver: mvcc: database space exceeded"))
    }

    private func answer(_ number: Int, _ outcome: StoreOutcome) {
        guard let flight = flights[number] else { return }
        flights[number]?.outcome = outcome
        guard !trouble.dumbTo.contains(flight.publisher) else { return }
        timeline.add(.storeHasAnswered(number), at: now + drawWay())
    }

    /// An answer reaches the publisher.
    func answered(_ number: Int) {
        guard let flight = flights[number], let outcome = flight.outcome, !flight.isLost
        else { return }
        deliver(flight, outcome)
        flights[number] = nil
    }

    /// The publisher does not wait any longer. The request may be executed all the same.
    func isGivenUp(_ number: Int) {
        guard let flight = flights[number] else { return }
        count(.unansweredRequests)
        deliver(flight, .failure(.unknown("no answer in time")))
        // It stays for an execution that comes later; nothing waits for its answer any more.
        flights[number]?.process = Flight.noProcess
    }

    private func deliver(_ flight: Flight, _ outcome: StoreOutcome) {
        let publisher = publishers.all[flight.publisher]
        guard publisher.isUp, publisher.shared.process == flight.process else { return }
        publisher.shared.answers.append((flight.purpose, outcome))
        publisher.wake(at: soon())
    }

    // MARK: Leases

    func checkLeases() {
        timeline.add(.storeChecksLeases, at: now + Self.leaseCheck)
        guard !trouble.isDown else { return }
        for lease in store.leases.sorted(by: { $0.rawValue < $1.rawValue })
        where leaseEnds[lease].map({ $0 <= now }) ?? true {
            end(lease)
        }
    }

    private func end(_ lease: StoreLease) {
        let led = ledger.leader(in: store)
        store.end(lease)
        leaseEnds[lease] = nil
        ledger.leading = ledger.leader(in: store)
        if ledger.leading != led { note(.world, "store ends the term of its leader") }
    }

    /// Another member leads the store: only leaders count leases, from their beginning.
    func changeLeader() {
        note(.world, "store changes its leader")
        for lease in store.leases { leaseEnds[lease] = now + Self.leaseTime }
    }

    /// The former leader of the store goes on confirming leases, which end elsewhere.
    func hang() {
        changeLeader()
        store.confirmsFalsely = true
    }

    func stopHanging() { store.confirmsFalsely = false }

    /// The lease of the leader is over before its time.
    func endLeaderEarly() {
        guard let lease = ledger.leaderLease(in: store) else { return }
        end(lease)
    }

    // MARK: Faults

    func mend(_ change: (inout Trouble) -> Void) throws(Violation) {
        change(&trouble)
        guard !trouble.isDown else { return }
        let numbers = waiting
        waiting = []
        for number in numbers { try arrives(number) }
    }

    /// Faults of the store are over.
    func heal() throws(Violation) {
        store.confirmsFalsely = false
        try mend { $0 = Trouble() }
    }

    private func drawCopy() {
        guard settings.shared?.faults.contains(.restores) == true,
            timeline.separate.shared.chance(perMille: 60)
        else { return }
        copies.append(store)
        if copies.count > Self.copiesMax { copies.removeFirst() }
    }

    /// All members are stopped and made anew from an earlier state.
    func restore() {
        guard !copies.isEmpty else { return }
        let index = timeline.separate.shared.below(copies.count)
        // What came after the copy is no earlier state of the restored store.
        copies.removeSubrange((index + 1)...)
        let isBumped = timeline.separate.shared.chance(perMille: 300)
        note(.world, "store is restored", isBumped ? 1 : 0)
        count(.storeRestores)
        ledger.restore(copies[index], in: store)
        store = copies[index].restored(after: store, isBumped: isBumped)
        ledger.leading = ledger.leader(in: store)
        leaseEnds = [:]
        for lease in store.leases { leaseEnds[lease] = now + Self.leaseTime }
        waiting = []
        // Connections break: what was under way is not executed, and its answers are lost.
        for number in flights.keys { flights[number]?.isLost = true }
    }
}
