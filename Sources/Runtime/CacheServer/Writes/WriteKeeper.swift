import CacheInvalidation
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Logging
import Threading

/// The origin thread's part that keeps writes: a ``CacheLoading/WriteQueue``, and the receivers of
/// its actions. It hands orders for origins to the scheduler's owner.
struct WriteKeeper: ~Copyable {
    struct Setup: Sendable {
        /// `nil`: writes cannot wait.
        var journal: Journal?
        var control: Mailbox<ControlLetter>
        var shards: [Mailbox<ShardLetter>]
        var seed: UInt64
        var logger: Logger
    }

    /// The place where writes wait, and its thread.
    struct Journal: Sendable {
        var records: RecoveredJournal
        /// Whether it takes nothing now.
        var isBroken: Bool
        var mailbox: Mailbox<QueueThread.Letter>
    }

    /// In the scheduler's tickets, where a shard's number would stand.
    static let schedulerShard = UInt16.max
    private static let reportLinesMax = 1_000

    private let setup: Setup
    private var queue: WriteQueue
    private var actions: [WriteQueue.Action] = []
    private var policies: [Namespace: OriginPolicy] = [:]
    /// What origins are being told, to read their answers by.
    private var attempts: [WriteNumber: OriginWrite.Change] = [:]
    private var rejectedWrites = RejectedWrites()
    private var lastDepth = QueueDepth()
    private let names: OperationNames
    private var nextOperation: UInt64 = 1
    /// For the scheduler.
    private var orders: [LoadOrder] = []
    private var routes: QueuedWriteRoutes
    /// Until when no other node gets this one's keys without its knowledge; `nil`: that is over.
    private var leaseEnd: Instant?
    /// For other nodes.
    private var forwards: [WriteForward] = []

    init(_ setup: Setup, of node: NodeID, now: Instant) {
        self.setup = setup
        routes = QueuedWriteRoutes(node: node)
        names = OperationNames(seed: setup.seed)
        queue = WriteQueue(
            hasJournal: setup.journal != nil, isJournalBroken: setup.journal?.isBroken ?? false,
            seed: setup.seed)
        route(now: now)
        if let journal = setup.journal {
            queue.restore(journal.records, now: now, into: &actions)
        }
        perform()
    }

    var nextDeadline: Instant? {
        [queue.nextDeadline, rejectedWrites.nextDue].compactMap(\.self).min()
    }

    /// Whether there is a place where writes wait.
    var hasQueue: Bool { setup.journal != nil }

    var hasOrders: Bool { !orders.isEmpty }

    mutating func takeOrders() -> [LoadOrder] {
        defer { orders.removeAll(keepingCapacity: true) }
        return orders
    }

    var hasForwards: Bool { !forwards.isEmpty }

    mutating func takeForwards() -> [WriteForward] {
        defer { forwards.removeAll(keepingCapacity: true) }
        return forwards
    }

    // MARK: What happens

    mutating func setTopology(isBySlots: Bool, asOf position: LogPosition, now: Instant) {
        checkLease(now: now)
        if routes.setTopology(isBySlots: isBySlots, asOf: position) { route(now: now) }
        perform()
    }

    mutating func setSlots(_ news: SlotsNews, now: Instant) {
        checkLease(now: now)
        if let position = routes.update(news) { queue.renew(position, into: &actions) }
        route(now: now)
        perform()
    }

    mutating func setLease(until end: Instant?, now: Instant) {
        leaseEnd = end
        checkLease(now: now)
        perform()
    }

    /// Before anything that may have a write begun.
    private mutating func checkLease(now: Instant) {
        if routes.setLeased(leaseEnd.map { now < $0 } ?? false) { route(now: now) }
    }

    private mutating func route(now: Instant) {
        let routes = routes
        queue.ownersChanged({ routes.route($0, $1) }, now: now, into: &actions)
    }

    mutating func forwardEnded(_ end: WriteForwards.Ended, now: Instant) {
        checkLease(now: now)
        if case .refused(let rejection) = end.outcome { rejectedWrites.add(rejection.status) }
        // A node that is leaving stays while it hands something over.
        if case .accepted = end.outcome { setup.control.post(.gives) }
        queue.forwardEnded(end.forward, end.outcome, now: now, into: &actions)
        perform()
        rejectedWrites.report(to: setup.logger, now: now)
    }

    mutating func configure(_ policies: [Namespace: OriginPolicy], now: Instant) {
        self.policies = policies
        checkLease(now: now)
        queue.originsChanged(now: now, into: &actions)
        perform()
    }

    /// Since 1970, to a second: for how long writes have waited over restarts. No decision hangs on
    /// it.
    private static var wallMilliseconds: UInt64 {
        UInt64(max(0, CalendarClock.now.nanoseconds / 1_000_000_000)) * 1_000
    }

    mutating func asked(_ order: WriteOrder, now: Instant) {
        checkLease(now: now)
        queue.asked(order, wall: Self.wallMilliseconds, now: now, into: &actions)
        perform()
    }

    /// The scheduler has answered one of its orders.
    mutating func attemptEnded(_ ticket: LoadTicket, _ answer: LoadAnswer, now: Instant) {
        let number = WriteNumber(ticket.number)
        guard let change = attempts.removeValue(forKey: number) else { return }
        checkLease(now: now)
        let verdict = WriteVerdict(of: answer, to: change)
        if case .refused(let rejection) = verdict { rejectedWrites.add(rejection.status) }
        queue.attemptEnded(number, verdict, now: now, into: &actions)
        perform()
        rejectedWrites.report(to: setup.logger, now: now)
    }

    mutating func published(_ ticket: UInt64, at position: LogPosition?, now: Instant) {
        checkLease(now: now)
        queue.published(WriteNumber(ticket), at: position, now: now, into: &actions)
        perform()
    }

    mutating func journaled(_ order: UInt64, succeeded: Bool, now: Instant) {
        checkLease(now: now)
        queue.journaled(order, succeeded: succeeded, now: now, into: &actions)
        perform()
    }

    mutating func timeIsUp(now: Instant) {
        checkLease(now: now)
        queue.timeIsUp(now: now, into: &actions)
        perform()
        rejectedWrites.report(to: setup.logger, now: now)
    }

    /// What a load of a key comes to that has accepted writes; `nil`: its origin is to be asked.
    func outcome(of request: OriginRequest) -> LoadOutcome? {
        let line = WriteLine(namespace: request.namespace, key: request.key)
        guard let write = queue.newest(of: line) else { return nil }
        guard let value = write.value else { return .absent(LoadedFacts()) }
        var facts = LoadedFacts()
        facts.representation = write.representation
        return .value(value, facts)
    }

    /// An operator asks, or orders something. A sender that administers some keys only is told of
    /// those, and orders nothing of others.
    mutating func reported(_ question: QueueQuestion, now: Instant) -> QueueReport {
        let isChosen = { (line: WriteLine) in question.covers(line.key, in: line.namespace) }
        var changed = 0
        checkLease(now: now)
        switch question.request.order {
        case .list: break
        case .drop: changed = queue.drop(where: isChosen, into: &actions)
        case .retry:
            changed = queue.retry(
                where: isChosen, named: { names.name($0, of: .retry) }, now: now, into: &actions)
        }
        perform()
        return report(on: question, changedCount: changed)
    }

    private func report(on question: QueueQuestion, changedCount: Int) -> QueueReport {
        let listing = queue.listing.filter { question.shows($0.write.key, in: $0.write.namespace) }
        let rejectedCount = listing.count { $0.rejection != nil }
        var report = QueueReport()
        report.changedCount = UInt32(clamping: changedCount)
        report.waitingCount = UInt32(clamping: listing.count - rejectedCount)
        report.rejectedCount = UInt32(clamping: rejectedCount)
        report.lines = lines(
            of: listing.lazy.filter { question.covers($0.write.key, in: $0.write.namespace) })
        return report
    }

    private func lines(of listed: some Sequence<ListedWrite>) -> [QueueReport.Line] {
        var bytes = 0
        let wall = Self.wallMilliseconds
        return listed.prefix(Self.reportLinesMax).map { QueueReport.Line($0, wall: wall) }
            .prefix { line in
                bytes += line.bytes
                return bytes <= WireLimits.frameBytesMax / 2
            }
    }

    // MARK: What is to be done

    private mutating func perform() {
        rejectedWrites.noteOvertaken(queue.statistics.overtaken)
        let due = actions
        actions.removeAll(keepingCapacity: true)
        for action in due {
            switch action {
            case .attempt(let number, let write, let manner): attempt(number, write, manner)
            case .forward(let forward): forwards.append(forward)
            case .publish(let number, let line): publish(number, line)
            case .journal(let order): setup.journal?.mailbox.post(.write(order))
            case .answer(let ticket, let answer):
                setup.shards[Int(ticket.shard)].post(.writeEnded(number: ticket.number, answer))
            case .hold(let line): post(.hold(line))
            case .release(let line, let position): post(.release(line, at: position))
            }
        }
        let depth = QueueDepth(
            waiting: queue.depth.waiting, rejected: queue.depth.rejected,
            isUnusable: queue.isJournalUnusable)
        guard depth != lastDepth, let shard = setup.shards.first else { return }
        lastDepth = depth
        shard.post(.queueDepth(depth))
    }

    private mutating func attempt(
        _ number: WriteNumber, _ write: OriginWrite, _ manner: WriteQueueAction.Attempt
    ) {
        let policy = policies[write.namespace] ?? OriginPolicy(url: "")
        var timeout = policy.timeout
        if case .direct(let patience) = manner { timeout = min(timeout, patience) }
        var request = OriginRequest(
            namespace: write.namespace, key: write.key, policy: policy, valueBytesMax: 0,
            timeout: timeout)
        request.write = write
        request.trace = write.trace
        attempts[number] = write.change
        orders.append(
            LoadOrder(
                ticket: LoadTicket(shard: Self.schedulerShard, number: number.rawValue),
                request: request, urgency: manner == .replay ? .refresh : .awaited))
    }

    private mutating func publish(_ number: WriteNumber, _ line: WriteLine) {
        // No shard has this number: the answer comes back to the origin thread.
        let nobody = ShardIndex(setup.shards.count)
        let operation = names.name(nextOperation, of: .queue)
        nextOperation += 1
        setup.control.post(
            .publish(
                ShardPublishRequest(
                    shard: nobody, ticket: number.rawValue,
                    scopes: [Scope(.key(line.key, in: line.namespace))], operation: operation)))
    }

    private func post(_ letter: ShardLetter) {
        for shard in setup.shards { shard.post(letter) }
    }
}

extension QueueReport.Line {
    fileprivate init(_ listed: ListedWrite, wall: UInt64) {
        self.init(
            number: listed.number.rawValue, namespace: listed.write.namespace,
            key: listed.write.key)
        ageMilliseconds = wall > listed.askedAt ? wall - listed.askedAt : 0
        valueBytes = listed.write.value.map { UInt32(clamping: $0.count) }
        attemptCount = UInt32(clamping: listed.attemptCount)
        lastFailure = listed.lastFailure?.rawValue ?? 0
        words = listed.rejection?.words ?? []
        status =
            switch listed.rejection?.status {
            case nil: 0
            case 0: QueueReport.unaskable
            case WriteRejection.overtaken: QueueReport.overtaken
            case WriteRejection.atOwner: QueueReport.atOwner
            case let status?: status
            }
    }
}
