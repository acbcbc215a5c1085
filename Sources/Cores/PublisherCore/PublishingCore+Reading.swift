package import CacheAccess
package import CacheInvalidation
import CacheModel
import CacheWire

/// Reading the log: RESUME, FLOORS and FOLLOW.
extension PublishingCore {
    mutating func takeResume(_ message: IncomingMessage) throws(WireRefusal) {
        let resume = try Resume(decoding: message.view.body)
        let requester = message.requester
        if resume.incarnation != .none {
            guard let run = nodes.grants.run(of: resume.incarnation) else {
                return output.refuse(requester, .notRegistered, NodeRefusal.stranger)
            }
            guard isBelievable(resume.after) else {
                return output.refuse(requester, .outOfRange, NodeRefusal.wildEpoch)
            }
            let claimed = resume.log == .none ? nil : resume.log
            _ = hear(run, resume.after, of: claimed, now: message.now)
            guard replays.isNew(resume, from: requester.peer) else { return }
        }
        replays.receive(
            resume, from: requester, countMax: admission.waitingMax(of: requester.principal),
            log: log, output: &output)
    }

    mutating func takeFloors(_ message: IncomingMessage) throws(WireRefusal) {
        let request = try FloorsRequest(decoding: message.view.body)
        // Its mark is from before it forgot, and is not its current position.
        guard nodes.grants.run(of: request.incarnation) != nil else {
            return output.refuse(message.requester, .notRegistered, NodeRefusal.stranger)
        }
        guard isBelievable(request.applied) else {
            return output.refuse(message.requester, .outOfRange, NodeRefusal.wildEpoch)
        }
        floorServer.answer(request, to: message.requester, log: log, output: &output)
    }

    /// The floors of the log's records; `nil` until the log has its position.
    package var floors: FloorSnapshot? { floorServer.floors }

    /// Whether the floors from before this publisher's start are still being read.
    package var areFloorsComing: Bool { floorServer.areComing }

    /// The floors of the records before this publisher's start were read, or could not be.
    ///
    /// - Parameter earlier: up to the position where this publisher's own floors begin, or further.
    ///   A snapshot of another log, or of an epoch that is over, is ignored.
    package mutating func floorsArrived(_ earlier: FloorSnapshot) { floorServer.insert(earlier) }

    /// Sets the access table. Until the first call access control is off.
    package mutating func setAccess(_ table: AccessTable) {
        admission.setAccess(table)
        if !follows.isEmpty { follows.change(to: table.entries(holding: follows.keys)) }
        topology.withdraw(against: table)
    }

    /// Refuses the waiting FOLLOW requests of keys that lost the right to follow.
    mutating func refuseRevokedFollows(now: Instant) {
        for (place, waiter) in follows.takeRevoked() {
            output.statistics.denied += 1
            admission.auditDenial(
                of: .follow, by: waiter.party, "\(AccessDenial.watch)", now: now, to: &output)
            let sentence = "your key may not follow invalidations any more"
            output.refuse(Requester(place, waiter), .unauthorised, sentence)
        }
    }
}
