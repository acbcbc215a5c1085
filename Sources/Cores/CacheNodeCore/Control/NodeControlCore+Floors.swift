import CacheInvalidation
import CacheMemory
import CacheModel
import CacheWire

/// Which entries a node may keep after it was away for longer than the log's retention.
///
///     TRUNCATED ─▶ forget, pending ─▶ FLOORS, bucket 0 ─▶ FLOOR SNAPSHOT ─▶ FLOORS, next bucket
///                                                              │ the last
///                                                              ▼
///                          settle: uncovered entries are served again; others are withheld
///
/// Everything is hidden first, so that nothing depends on an answer.
extension NodeControlCore {
    /// Sends the next request when it is due, or gives up.
    mutating func continueFloors(now: Instant, into actions: inout [NodeControlAction]) {
        guard var quest = floorsQuest else { return }
        if quest.isOver(now: now) { return settleFloors(nil, into: &actions) }
        guard case .joined = phase, quest.isDue(now: now) else { return }
        let requestID = nextRequestID(.floors)
        quest.asked(requestID: requestID, now: now)
        floorsQuest = quest
        let request = FloorsRequest(
            incarnation: identity.incarnation, log: quest.log, applied: quest.reached,
            firstBucket: quest.nextBucket)
        send(into: &actions) { request.encode(requestID: requestID, into: &$0) }
    }

    mutating func received(
        _ part: FloorSnapshotPart, requestID: UInt64, now: Instant,
        into actions: inout [NodeControlAction]
    ) {
        guard var quest = floorsQuest, quest.requestID == requestID else { return }
        let progress = quest.take(part)
        floorsQuest = quest
        switch progress {
        case .more: continueFloors(now: now, into: &actions)
        case .done: settleFloors(quest.touched, into: &actions)
        case .useless: settleFloors(nil, into: &actions)
        }
    }

    /// The publisher declines. If it is busy, the request is repeated; any other refusal is final.
    mutating func refusedFloors(
        _ code: ErrorCode?, requestID: UInt64, into actions: inout [NodeControlAction]
    ) {
        guard floorsQuest?.requestID == requestID, code != .busy else { return }
        settleFloors(nil, into: &actions)
    }

    private mutating func settleFloors(
        _ touched: TouchedScopes?, into actions: inout [NodeControlAction]
    ) {
        guard let quest = floorsQuest else { return }
        floorsQuest = nil
        if touched != nil { statistics.floorSnapshots += 1 }
        actions.append(.settle(touched: touched, from: quest.goesOnFrom))
        actions.append(
            .report(
                touched == nil
                    ? .floorsUnknown(since: quest.reached.position)
                    : .floorsLearned(since: quest.reached.position)))
    }
}
