import AccessControl
import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire
import Logging
import PublisherCore
import SharedLogCore
import Storage
import Threading
import ZeroMQ

/// The state of the publisher's thread while it serves a log: both sockets and the core between
/// them.
///
/// A turn waits for input or for the core's deadline. It hands at most
/// ``PublisherServerLimits/messagesPerTurn`` messages of each channel to the core, ends the core's
/// turn, and executes the core's actions. Sending never blocks: a frame to a peer that is slow or
/// gone is dropped.
///
/// The log of one publisher is served until the process ends; one that several lead in turn, for a
/// term (docs/decisions/0118).
struct PublisherLoop<Log: ServedLog>: ~Copyable {
    /// How the loop ends.
    enum Ending: Equatable {
        /// The process ends.
        case stopped
        /// Another publisher leads, or will: the one that is known.
        case handedOver(to: NotLeader)
    }

    var channels: PublisherChannels
    private let audit: AuditLog?
    var core: PublishingCore<Log>
    var files: KeptFiles
    var actions: [PublisherAction] = []
    private var descriptors = DescriptorWatch()
    var members = MembersWatch()
    var duplicates = NodesWatch()
    var away = NodesWatch()
    var withoutSlots = NodesWatch()
    var joined = NodesWatch()
    /// The leadership is being given up; `nil`: it is not.
    var leaving: Leaving?
    /// The newest plan; `nil`: it was not reloaded.
    private(set) var plan: PublisherPlan?
    /// When the counters of the store are read next.
    private var storeNoteDue = MonotonicClock.now

    var logger: Logger { channels.logger }

    /// - Parameter channels: bound.
    init(
        _ options: PublisherOptions, _ channels: consuming PublisherChannels,
        _ kept: PublisherLog<Log>, topologyVersion: UInt32
    ) {
        files = KeptFiles(kept.storage, channels.logger)
        core = PublishingCore(
            plan: options.plan.listening(at: channels.advertised), log: kept.log,
            freshID: kept.freshID, topologyVersion: topologyVersion, now: MonotonicClock.now)
        audit = options.audit
        core.isAudited = audit != nil
        if let access = channels.access { core.setAccess(access) }
        self.channels = channels
        resume(kept.pacings)
        resume(lives: kept.nodes)
        resume(slots: kept.slots, isWanted: options.plan.beginsSlots)
        reportHiding()
        resume(cluster: kept.cluster, orElse: kept.freshCluster)
    }

    /// The sockets, for the next loop.
    consuming func release() -> PublisherChannels { channels }

    private mutating func resume(cluster: [UInt8]?, orElse fresh: ClusterID) {
        let known = cluster.flatMap { KeptCluster(reading: $0) }
        core.setCluster(kept: known, fresh: fresh)
        guard cluster != nil, known == nil else { return }
        logger.warning(
            "the file of the cluster's identity is damaged: the nodes are asked for it")
    }

    /// Paced invalidations continue, wherever the log stands.
    private mutating func resume(_ pacings: [UInt8]?) {
        guard let pacings else { return }
        guard let count = core.resumePacings(pacings, now: MonotonicClock.now) else {
            logger.error(
                """
                the file of the paced invalidations is damaged: those that ran are forgotten. What \
                they had not hidden yet is still shown; invalidate it again
                """)
            return
        }
        if count > 0 {
            logger.notice("paced invalidations continue", metadata: ["count": "\(count)"])
        }
    }

    /// The last runs of each node stay known if the log continues.
    private mutating func resume(lives: [UInt8]?) {
        if !core.resumeLives(lives) {
            logger.warning(
                """
                the file of the nodes' runs is damaged: what nodes find on their disks is \
                discarded
                """)
        }
    }

    private func reportHiding() {
        guard core.slots.table == nil, core.hidesEverything else { return }
        logger.warning(
            """
            the cluster may have been of another kind, or its members others: the log has records \
            and no file of the nodes that fits them. What was stored before is hidden
            """)
    }

    private mutating func resume(slots: [UInt8]?, isWanted: Bool) {
        let loss = core.resumeSlots(slots)
        if core.slots.table != nil, !isWanted {
            logger.warning(
                """
                keys go on belonging to slots, which this log assigns, whatever topology says; \
                write topology: slots into the configuration
                """)
        }
        guard let loss else { return }
        logger.error(
            "the stored owners of slots are lost: every node hides what it holds, in a new epoch",
            metadata: ["reason": "\(loss)"])
    }

    /// Runs until it is told to stop, another publisher leads, or the context ends.
    mutating func run(_ mailbox: Mailbox<PublisherLetter>) throws(ZeroMQError) -> Ending {
        while true {
            var poller = Poller()
            let bell = poller.add(mailbox.wakeup)
            channels.watch(with: &poller)
            while !channels.isNew {
                _ = try poller.wait(timeout: timeLeft)
                let before = core.statistics
                if poller.isReady(bell), let ending = try handle(mailbox) { return ending }
                if let ending = try leaveOverdue(now: MonotonicClock.now) { return ending }
                try channels.bind()
                try takeRequests()
                try takeSubscriptions()
                core.tick(now: MonotonicClock.now, into: &actions)
                wantLease()
                core.log.handOrders(to: files.storage)
                try act()
                countDescriptors(now: MonotonicClock.now)
                noteStore(now: MonotonicClock.now)
                saveFloors(now: MonotonicClock.now)
                report(since: before)
            }
        }
    }

    private var timeLeft: Duration {
        let next = [core.nextDeadline, descriptors.nextLook, leaving?.by].compactMap(\.self).min()
        let left = next?.elapsed(since: MonotonicClock.now) ?? .zero
        return min(left, channels.waitMax)
    }

    // MARK: Coming in

    /// - Returns: how the loop ends; `nil`: it goes on.
    private mutating func handle(
        _ mailbox: Mailbox<PublisherLetter>
    ) throws(ZeroMQError) -> Ending? {
        // Letters taken together with the stop are handled before the end: behind the stop may lie
        // an outcome of the log that a client waits for.
        var isEnding = false
        var failure: ZeroMQError?
        var ending: Ending?
        var letters = mailbox.takeAll()[...]
        while ending == nil, let letter = letters.popFirst() {
            switch letter {
            case .reload(let plan): reload(plan)
            case .refusedChanges(let count): core.statistics.configRefused = UInt64(count)
            case .access(let table):
                try channels.admit(table)
                core.setAccess(table)
            case .log(let news): hear(news)
            case .shared(let news): ending = try hear(news)
            case .pulse(let pulse): pulse.beat()
            case .report(let tell): tell(core.report(now: MonotonicClock.now))
            case .stop: isEnding = true
            case .fail(let error):
                isEnding = true
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        if isEnding {
            if case .etcd = files.storage {
                // The term may have ended in the same turn.
                return ending == nil ? leave(isStopping: true) : .stopped
            }
            try end(mailbox)
            return .stopped
        }
        // What follows the end of a term is the standby's: perhaps the next term.
        mailbox.giveBack(letters)
        return ending
    }

    private mutating func reload(_ plan: PublisherPlan) {
        self.plan = plan
        core.configurationChanged(
            to: plan.listening(at: channels.advertised), now: MonotonicClock.now)
        files.storage.keep(lease: plan.lease)
        logger.info(
            "configuration reloaded", metadata: ["revision": "\(plan.configuration.revision)"])
    }

    /// Ends in order: pending writes are finished first, so that they can be answered.
    private mutating func end(_ mailbox: Mailbox<PublisherLetter>) throws(ZeroMQError) {
        keepAll()
        if case .files(let keeper) = files.storage {
            keeper.close(saving: core.areFloorsComing ? nil : core.floors)
        }
        for case .log(let news) in mailbox.takeAll() { hear(news) }
        core.stop(into: &actions)
        // Requests that came in meanwhile, or while the last replies are read, are refused.
        try takeRequests()
        guard !actions.isEmpty else { return }
        try act()
        try sayFarewell()
    }

    /// Stores what is not stored yet.
    func keepAll() {
        if let bytes = core.pacingsToKeep { files.storage.keep(bytes, as: .pacings) }
        if let bytes = core.livesToKeep { files.storage.keep(bytes, as: .nodes) }
        if let cluster = core.clusterToKeep { files.storage.keep(cluster.bytes, as: .cluster) }
        if let bytes = core.slotsToKeep { files.storage.keep(bytes, as: .slots) }
    }

    private mutating func hear(_ news: LogNews) {
        switch news {
        case .ended(let outcome): hear(outcome)
        case .refusing(let error): logRefuses(error.map { "\($0)" })
        case .floors(let floors):
            core.floorsArrived(floors)
            logger.info(
                "what the log has touched is known again",
                metadata: ["since": "\(floors.completeSince)", "to": "\(floors.asOf.position)"])
        case .damaged(let damage):
            logger.error(
                "a segment of the log is damaged: it and all before it is no longer kept",
                metadata: ["segment": "\(damage)", "tail": "\(core.log.tail)"])
        case .kept(let state, let error, let isGone): hear(state, error?.description, isGone)
        case .trouble(let reason):
            logger.error("the log on disk is in trouble", metadata: ["reason": "\(reason)"])
        }
    }

    mutating func hear(_ outcome: LogOutcome) {
        core.appended(outcome, now: MonotonicClock.now, into: &actions)
        logRefuses(outcome.refusal.map { "\($0)" })
    }

    /// - Parameters:
    ///   - trouble: why this could not be stored.
    ///   - isGone: whether nothing is stored in its place now.
    mutating func hear(_ state: LogState, _ trouble: String?, _ isGone: Bool) {
        switch state {
        case .pacings: hear(pacingsKept: trouble)
        case .nodes: hear(nodesKept: trouble, isGone: isGone)
        case .cluster: hear(clusterKept: trouble)
        case .slots: hear(slotsKept: trouble)
        }
    }

    private mutating func hear(slotsKept trouble: String?) {
        core.slotsKept(trouble == nil, now: MonotonicClock.now)
        files.report(
            .slots, trouble,
            """
            the owners of slots cannot be kept on the disk: a publisher that starts now may begin \
            a new epoch, in which every node hides what it holds
            """,
            again: "the owners of slots are kept again")
    }

    private mutating func hear(pacingsKept trouble: String?) {
        core.kept(trouble, now: MonotonicClock.now, into: &actions)
        files.report(
            .pacings, trouble,
            """
            paced invalidations cannot be noted on the disk: those that run go on, and may say \
            slices again after a restart
            """,
            again: "how far paced invalidations are is noted again")
    }

    /// Told once for each failure, not for each invalidation.
    mutating func logRefuses(_ reason: String?) {
        let wasRefusing = core.statistics.logRefusing > 0
        guard wasRefusing != (reason != nil) else { return }
        core.statistics.logRefusing = reason == nil ? 0 : 1
        if let reason {
            logger.error(
                "invalidations are refused: the log could not be written; replay continues",
                metadata: ["reason": "\(reason)"])
        } else {
            logger.notice("the log is written again")
        }
    }

    private mutating func hear(clusterKept trouble: String?) {
        core.clusterKept(trouble == nil, now: MonotonicClock.now)
        files.report(
            .cluster, trouble,
            "the cluster's identity cannot be kept on the disk: only the nodes know it",
            again: "the cluster's identity is kept again")
    }

    private mutating func hear(nodesKept trouble: String?, isGone: Bool) {
        core.livesKept(
            trouble, isGone: isGone, now: MonotonicClock.now, into: &actions)
        let consequence =
            isGone
            ? "a publisher that starts now does not know the last ones"
            : "a node that starts now gets no lease until they can be"
        files.report(
            .nodes, trouble, "the runs of nodes cannot be recorded on the disk: \(consequence)",
            again: "the runs of nodes are recorded again")
    }

    /// Keeps the ports open while the last replies are read.
    private mutating func sayFarewell() throws(ZeroMQError) {
        let end = MonotonicClock.now.advanced(by: PublisherServerLimits.farewell)
        var poller = Poller()
        channels.watchControl(with: &poller)
        while MonotonicClock.now < end {
            _ = try poller.wait(timeout: end.elapsed(since: MonotonicClock.now))
            try takeRequests()
            try act()
        }
    }

    private mutating func takeRequests() throws(ZeroMQError) {
        if leaving != nil { return try turnAway() }
        try channels.takeRequests { request in
            guard let (frame, sender) = request else { return core.passedOver() }
            core.received(frame, from: sender, now: MonotonicClock.now, into: &actions)
        }
    }

    private mutating func takeSubscriptions() throws(ZeroMQError) {
        try channels.takeSubscriptions { core.subscribed(now: MonotonicClock.now) }
    }

    // MARK: Going out

    mutating func act() throws(ZeroMQError) {
        for action in actions {
            switch action {
            case .broadcast(let bytes): try channels.broadcast(bytes)
            case .reply(let peer, let bytes, let principal):
                guard try !channels.reply(bytes, to: peer, of: principal) else { continue }
                core.statistics.repliesDropped += 1
            case .keep(let bytes): files.storage.keep(bytes, as: .pacings)
            case .confirm(let number): confirm(number)
            case .stepDown: _ = leave(isStopping: false)
            case .keepLives(let bytes): files.storage.keep(bytes, as: .nodes)
            case .keepCluster(let kept): files.storage.keep(kept.bytes, as: .cluster)
            case .keepSlots(let bytes): files.storage.keep(bytes, as: .slots)
            case .audit(let event): audit?.note(event)
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    private mutating func saveFloors(now: Instant) {
        guard files.storage.savesFloors, core.log.isBegun, !core.areFloorsComing,
            let floors = core.floors
        else { return }
        files.save(floors, now: now)
    }

    private mutating func noteStore(now: Instant) {
        guard storeNoteDue <= now else { return }
        storeNoteDue = now.advanced(by: PublisherServerLimits.storeNoteSpacing)
        core.log.noteFigures(of: files.storage)
    }

    private mutating func countDescriptors(now: Instant) {
        guard let look = descriptors.look(now: now) else { return }
        core.descriptors = look.usage
        guard let notice = look.notice else { return }
        logger.log(level: notice.isAlarm ? .warning : .notice, "\(notice.sentence)")
    }
}
