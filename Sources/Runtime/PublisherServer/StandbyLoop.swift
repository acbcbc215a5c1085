import CacheInvalidation
import CacheMetrics
import CacheModel
import CacheWire
import EtcdStorage
import Logging
import PublisherCore
import SharedLogCore
import Threading
import ZeroMQ

/// The state of the publisher's thread while it does not lead: it names the leader to every
/// request, and waits for a term of its own.
struct StandbyLoop: ~Copyable {
    enum Ending {
        /// The process ends.
        case stopped
        case lead(SharedTerm)
        /// The prefix cannot be used, for this reason.
        case refused(String)
    }

    private var channels: PublisherChannels
    private let keeper: EtcdKeeper
    private let name: String
    private var core = StandbyCore()
    private var actions: [PublisherAction] = []
    /// The newest plan; `nil`: it was not reloaded.
    private(set) var plan: PublisherPlan?
    /// Whether the process ends once the keeper has given everything up.
    private var isStopping = false

    /// - Parameter leader: as far as it is known.
    init(
        _ channels: consuming PublisherChannels, _ keeper: EtcdKeeper, name: String,
        leader: NotLeader = NotLeader()
    ) {
        if let access = channels.access { core.setAccess(access) }
        core.leader = leader
        self.channels = channels
        self.keeper = keeper
        self.name = name
    }

    /// The sockets, for the next loop.
    consuming func release() -> PublisherChannels { channels }

    mutating func run(_ mailbox: Mailbox<PublisherLetter>) throws(ZeroMQError) -> Ending {
        while true {
            var poller = Poller()
            let bell = poller.add(mailbox.wakeup)
            channels.watch(with: &poller)
            while !channels.isNew {
                _ = try poller.wait(timeout: channels.waitMax)
                if poller.isReady(bell), let ending = try handle(mailbox) { return ending }
                try channels.bind()
                try takeRequests()
                // A node that subscribes here hears nothing, and looks for the leader.
                try channels.takeSubscriptions {}
            }
        }
    }

    /// Answers for a moment before the ports are closed.
    consuming func sayFarewell() throws(ZeroMQError) {
        let end = MonotonicClock.now.advanced(by: PublisherServerLimits.farewell)
        var poller = Poller()
        channels.watchControl(with: &poller)
        while MonotonicClock.now < end {
            _ = try poller.wait(timeout: end.elapsed(since: MonotonicClock.now))
            try takeRequests()
        }
    }

    private mutating func handle(
        _ mailbox: Mailbox<PublisherLetter>
    ) throws(ZeroMQError) -> Ending? {
        var ending: Ending?
        var letters = mailbox.takeAll()[...]
        while ending == nil, let letter = letters.popFirst() {
            switch letter {
            case .reload(let plan): self.plan = plan
            case .refusedChanges: break
            case .access(let table):
                try channels.admit(table)
                core.setAccess(table)
            case .log: break  // There is no log on this disk.
            case .shared(let news): ending = hear(news)
            case .pulse(let pulse): pulse.beat()
            case .report(let tell): tell(report)
            case .stop:
                isStopping = true
                keeper.send(.resign(isStopping: true))
            case .fail(let error): throw error
            }
        }
        // What follows the begin of a term is the leader's: perhaps its end.
        mailbox.giveBack(letters)
        return ending
    }

    private mutating func hear(_ news: SharedLogKeeper.News) -> Ending? {
        switch news {
        case .lead(let term): return isStopping ? nil : .lead(term)
        case .refused(let reason): return .refused(reason)
        case .resigned, .end: return isStopping ? .stopped : nil
        case .report(let report):
            channels.logger.note(report)
            guard case .leaderChanged(let leader) = report else { return nil }
            core.leader = NotLeader(
                controlEndpoint: leader?.control ?? "", name: leader?.publisher ?? "")
        case .written, .confirmed: break  // Of a term that is over.
        }
        return nil
    }

    private mutating func takeRequests() throws(ZeroMQError) {
        let (name, keeper, statistics) = (name, keeper, core.statistics)
        try channels.takeRequests { request in
            guard let (frame, sender) = request else { return core.passedOver() }
            core.received(
                frame, from: sender, now: MonotonicClock.now,
                status: { Self.status(name, keeper, statistics) }, into: &actions)
        }
        for case .reply(let peer, let bytes, let principal) in actions {
            _ = try channels.reply(bytes, to: peer, of: principal)
        }
        actions.removeAll(keepingCapacity: true)
    }

    // MARK: Reporting

    private static func status(
        _ name: String, _ keeper: EtcdKeeper, _ statistics: PublisherStatistics
    ) -> StatusReport {
        let standing = keeper.standing
        var report = StatusReport(
            role: .publisher, state: standing.isCaughtUp ? .live : .syncing, name: name,
            mark: standing.head)
        report.figures = statistics.figures.map { .init($0.name, $0.value) }
        report.figures.append(.init("leading", 0))
        let known = standing.figures(among: keeper.publishers, now: MonotonicClock.now)
        report.figures += known.map { .init($0.name, $0.value) }
        return report
    }

    private var report: PublisherReport {
        PublisherReport(
            status: Self.status(name, keeper, core.statistics),
            applied: DurationHistogram(.long))
    }
}
