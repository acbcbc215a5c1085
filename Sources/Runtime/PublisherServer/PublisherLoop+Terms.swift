import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import EtcdStorage
import Logging
import PublisherCore
import SharedLogCore
import Threading
import ZeroMQ

/// A term of leadership: how it begins, what the thread of etcd reports, and how it ends.
extension PublisherLoop {
    /// The end of a term by the own will.
    struct Leaving {
        let isStopping: Bool
        /// Then it ends whatever etcd says: its writes are fenced.
        let by: Instant
    }

    /// What later publishers have to know of the leases that nodes may hold is written.
    mutating func wantLease() {
        let now = MonotonicClock.now
        core.log.want(lease: core.longestLease(now: now), now: now)
    }

    /// Begins with what an earlier leader left, before any message is taken.
    mutating func begin(_ term: SharedTerm, _ plan: PublisherPlan) {
        core.recall(term.operations, term.floors, now: MonotonicClock.now)
        if let lost = term.lost {
            logger.warning(
                "a new epoch: etcd was set back, and every node hides what it holds",
                metadata: ["head": "\(core.log.head.position)"])
            core.openEpoch(behind: lost)
        }
        wantLease()
        core.log.handOrders(to: files.storage)
        core.log.noteFigures(of: files.storage)
        logger.notice(
            "this publisher leads",
            metadata: ["term": "\(term.leader.term)", "head": "\(core.log.head.position)"])
    }

    func confirm(_ number: UInt64) {
        guard case .etcd(let keeper, let term) = files.storage else {
            preconditionFailure("no other publisher leads this log")
        }
        keeper.send(.confirm(number, of: term))
    }

    /// - Returns: how the loop ends; `nil`: it goes on.
    mutating func hear(_ news: SharedLogKeeper.News) throws(ZeroMQError) -> Ending? {
        switch news {
        case .lead: preconditionFailure("what follows the end of a term is the standby's")
        case .refused(let reason):
            logger.error(
                "the log on etcd cannot be used any more", metadata: ["reason": "\(reason)"])
            return try handOver(to: nil)
        case .written(let written): hear(written)
        case .confirmed(let number, let seen):
            for mark in seen { core.heardOfLoss(mark.mark, of: mark.log) }
            core.log.handOrders(to: files.storage)
            core.confirmed(number, now: MonotonicClock.now, into: &actions)
        case .end(.superseded(let other)):
            logger.warning(
                "this publisher does not lead any more",
                metadata: ["leader": "\(other?.publisher ?? "none")"])
            return try handOver(to: other)
        case .end(.resigned), .resigned: return try handOver(to: nil)
        case .report(let report): logger.note(report)
        }
        return nil
    }

    private mutating func hear(_ written: SharedLogWriter.News) {
        switch written {
        case .appended(let outcome): hear(outcome)
        case .begun(let mark): core.log.begun(at: mark)
        case .stored(.lease, let failure):
            core.log.leaseEnded(isStored: failure == nil, now: MonotonicClock.now)
        case .stored(let name, let failure):
            if let state = name.logState { hear(state, failure, false) }
        case .trouble(let reason): logRefuses(reason)
        case .deposed: break  // The end of the term follows.
        }
    }

    // MARK: The end

    /// Gives the leadership up: no further request is taken, what was ordered is written, and then
    /// another publisher may lead. The loop ends once that is done.
    mutating func leave(isStopping: Bool) -> Ending? {
        guard case .etcd(let keeper, _) = files.storage else { return nil }
        keepAll()
        core.log.handOrders(to: files.storage)
        keeper.send(.resign(isStopping: isStopping))
        leaving = Leaving(
            isStopping: isStopping || leaving?.isStopping ?? false,
            by: MonotonicClock.now.advanced(by: PublisherServerLimits.leavingMax))
        return nil
    }

    mutating func leaveOverdue(now: Instant) throws(ZeroMQError) -> Ending? {
        guard let leaving, leaving.by <= now else { return nil }
        logger.warning("etcd does not answer: the leadership ends with its lease")
        return try handOver(to: nil)
    }

    /// Requests that come while the leadership is given up are for the next leader.
    mutating func turnAway() throws(ZeroMQError) {
        var standby = StandbyCore()
        if let access = channels.access { standby.setAccess(access) }
        let report = core.report(now: MonotonicClock.now).status
        try channels.takeRequests { request in
            guard let (frame, sender) = request else { return core.passedOver() }
            standby.received(
                frame, from: sender, now: MonotonicClock.now, status: { report },
                into: &actions)
        }
    }

    /// Tells every client that waits, and every node, that another publisher leads or will.
    private mutating func handOver(to other: LeaderValue?) throws(ZeroMQError) -> Ending {
        let next = NotLeader(
            controlEndpoint: other?.control ?? "", name: other?.publisher ?? "")
        core.handOver(to: next, into: &actions)
        try act()
        var writer = ByteWriter(capacityBytes: 64)
        Heartbeat.farewell.encode(into: &writer)
        try channels.broadcast(writer.array)
        return leaving?.isStopping ?? false ? .stopped : .handedOver(to: next)
    }
}

extension Logger {
    /// A line of what the thread of etcd reports.
    func note(_ report: Leadership.Report) {
        switch report {
        case .leaderChanged(let leader?):
            info(
                "a publisher leads",
                metadata: ["publisher": "\(leader.publisher)", "control": "\(leader.control)"])
        case .leaderChanged(nil): notice("no publisher leads")
        case .unreachable(let reason):
            error(
                """
                etcd does not answer, or refuses: invalidations wait, and nodes answer by their \
                policies
                """, metadata: ["reason": "\(reason)"])
        case .reachable: notice("etcd answers again")
        case .damaged(let damage):
            error("a value in etcd cannot be read", metadata: ["reason": "\(damage)"])
        case .markNotKept(let reason):
            error(
                """
                how far the log was seen cannot be stored in the state directory: a restore of \
                etcd may go unnoticed
                """, metadata: ["reason": "\(reason)"])
        }
    }
}
