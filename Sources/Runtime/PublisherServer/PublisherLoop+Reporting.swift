import CacheInvalidation
import CacheModel
import Logging
import PublisherCore
import Threading

extension PublisherLoop {
    /// What an operator should know of a turn.
    mutating func report(since before: PublisherStatistics) {
        let after = core.statistics
        reportEpoch()
        reportMembers(now: MonotonicClock.now)
        reportDuplicates(now: MonotonicClock.now)
        reportSlots()
        if after.historiesContinued > before.historiesContinued {
            logger.notice(
                "the log continues where the nodes stand",
                metadata: ["head": "\(core.log.head.position)"])
        }
        if after.epochsOpened > before.epochsOpened {
            logger.warning(
                "a new epoch: a node knew more than the log, and every node hides what it holds",
                metadata: ["head": "\(core.log.head.position)"])
        }
    }

    private mutating func reportDuplicates(now: Instant) {
        let (begun, ended) = duplicates.look(at: core.duplicateNodes(at: now))
        for node in begun {
            logger.warning(
                """
                two processes run as one node: both answer requests, each from its own memory; \
                stop one of them, or give it an id of its own
                """, metadata: ["node": "\(node)"])
        }
        for node in ended {
            logger.notice("one process runs as the node again", metadata: ["node": "\(node)"])
        }
    }

    private mutating func reportSlots() {
        let standing = core.slots
        for node in withoutSlots.look(at: standing.lacking).begun {
            logger.warning(
                "keys do not belong to slots yet: the release of a node does not know them",
                metadata: ["node": "\(node)"])
        }
        let (new, gone) = joined.look(at: core.joined.sorted())
        for node in new { logger.notice("the node has joined", metadata: ["node": "\(node)"]) }
        for node in gone {
            logger.notice(
                "the node that had joined is no member any more", metadata: ["node": "\(node)"])
        }
        let (left, back) = away.look(at: standing.away)
        for node in left {
            logger.warning(
                """
                the keys of the node go to the others: it drains, or had no lease for \
                publisher.failover-after
                """, metadata: ["node": "\(node)"])
        }
        for node in back {
            logger.notice("the node gets keys again", metadata: ["node": "\(node)"])
        }
    }

    private mutating func reportEpoch() {
        // The thread of etcd says itself what does not work there.
        let isKept = core.log.isBegun || !core.log.hasHistory || core.log.isShared
        files.report(
            .epoch, isKept ? nil : ["head": "\(core.log.head.position)"],
            "the epoch of the log cannot be put on the disk: nodes get no lease until it can",
            again: "the epoch of the log is on the disk")
    }

    /// Logs that keys wait for nodes, and the end of the wait.
    private mutating func reportMembers(now: Instant) {
        switch members.look(at: core.membersHold(at: now), now: now) {
        case .waits(let hold):
            var metadata: Logger.Metadata = [
                "nodes": "\(hold.nodes.map(\.name).joined(separator: " "))"
            ]
            if let end = hold.end {
                metadata["seconds"] = "\(end.elapsed(since: now).wholeMilliseconds / 1_000 + 1)"
            }
            logger.warning(
                "keys that may have another owner are not answered for yet: nodes are waited for",
                metadata: metadata)
        case .isOver: logger.notice("all keys are answered for")
        case nil: break
        }
    }
}

/// Says once of each node that something has begun, and once that it is over.
struct NodesWatch {
    private var told: Set<NodeID> = []

    /// - Parameter nodes: of which it is so now.
    /// - Returns: those that are new, and those that are over; sorted.
    mutating func look(at nodes: [NodeID]) -> (begun: [NodeID], ended: [NodeID]) {
        guard !nodes.isEmpty || !told.isEmpty else { return ([], []) }
        let found = Set(nodes)
        defer { told = found }
        return (found.subtracting(told).sorted(), told.subtracting(found).sorted())
    }
}

/// Says that keys wait for nodes once that takes long, and when it is over.
struct MembersWatch {
    enum Notice: Hashable {
        case waits(MembersHold)
        case isOver
    }

    private var since: Instant?
    private var isSaid = false

    /// - Parameter hold: of now; `nil` where all keys are answered for.
    /// - Returns: what is to be said, once each.
    mutating func look(at hold: MembersHold?, now: Instant) -> Notice? {
        guard let hold else {
            defer { (since, isSaid) = (nil, false) }
            return isSaid ? .isOver : nil
        }
        let start = since ?? now
        since = start
        guard !isSaid, now.elapsed(since: start) >= PublisherServerLimits.membersPatience
        else { return nil }
        isSaid = true
        return .waits(hold)
    }
}
