import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire

@testable import PublisherCore

/// What may happen to a publisher.
extension FuzzPublisher {
    mutating func happen(_ kind: Int, _ script: inout Script) {
        switch kind {
        case 0: send(script.run(), &script)
        case 1, 2: send(script.anyFrame(), &script)
        case 3...6: send(nodeFrame(&script), &script)
        case 7...9: send(clientFrame(&script), &script)
        case 10...12: wait(&script)
        case 13: endAppend(&script)
        case 14: finishKeeping(refusedBy: script.isOdd() ? "no room left" : nil)
        case 15:
            finishLives(refusedBy: script.isOdd() ? "no room left" : nil, isGone: script.isOdd())
        case 16: core.subscribed(now: now)
        case 17: change(&script)
        case 18: bringFloors(&script)
        case 19: if isClusterDue { finishCluster(isKept: script.isOdd()) }
        default: core.passedOver()
        }
    }

    private mutating func send(_ frame: [UInt8], _ script: inout Script) {
        let (who, number) = (script.byte(), script.byte())
        let name = [0, number % 6, 0, 0, number % 15]
        guard let peer = name.withUnsafeBytes({ PeerID($0) }) else { fatalError("it is a name") }
        frame.withUnsafeBytes { bytes in
            core.received(
                bytes,
                from: RequestSender(peer, principal: PrincipalNumber(rawValue: UInt32(who % 7))),
                now: now, into: &actions)
        }
    }

    private mutating func wait(_ script: inout Script) {
        now = now.advanced(by: script.duration())
        core.tick(now: now, into: &actions)
        _ = core.nextDeadline
    }

    private mutating func endAppend(_ script: inout Script) {
        switch script.below(4) {
        case 0: finishAppend(refusedBy: .storage("no room left"))
        case 1: finishAppend(refusedBy: .unexpectedHead(core.log.head))
        case 2:
            core.appended(
                LogOutcome(ticket: LogTicket(script.wild())), now: now, into: &actions)
        default: finishAppend(refusedBy: nil)
        }
    }

    private mutating func change(_ script: inout Script) {
        switch script.below(4) {
        case 0: core.setAccess(script.isOdd() ? .empty : FuzzShard.table)
        case 1:
            var plan = Self.plan(Setting(rawValue: script.byte()))
            plan.nodes.removeLast(script.below(plan.nodes.count))
            core.configurationChanged(to: plan, now: now)
        case 2: _ = core.resumePacings(script.run(), now: now)
        default: _ = core.resumeLives(script.run())
        }
    }

    private mutating func bringFloors(_ script: inout Script) {
        let mark = script.isOdd() ? core.log.head : script.mark()
        core.floorsArrived(
            FloorSnapshot(of: script.isOdd() ? core.log.id : LogID(9), at: mark, isCertain: true))
    }

    // MARK: Frames

    /// A place that somebody claims: mostly one of the log.
    private mutating func claim(_ script: inout Script) -> LogMark {
        switch script.below(4) {
        case 0: return .none
        case 1: return script.mark()
        case 2:
            let head = core.log.head
            let sequence = SequenceNumber(head.position.sequence.rawValue / 2)
            guard let digest = core.log.digest(at: sequence) else { return head }
            return LogMark(
                position: LogPosition(epoch: head.position.epoch, sequence: sequence),
                digest: digest)
        default: return core.log.head
        }
    }

    private mutating func nodeFrame(_ script: inout Script) -> [UInt8] {
        let number = script.below(5)
        let incarnation = Incarnation(UInt64(number) + (script.isOdd() ? 100 : 1))
        let log = script.byte() < 64 ? LogID(9) : core.log.id
        let mark = claim(&script)
        let id = UInt64(script.byte())
        switch script.below(8) {
        case 0, 1:
            var introduction = Hello(
                incarnation: incarnation, log: log, applied: mark, node: Self.node(number),
                endpoints: (0..<script.below(3)).map { "tcp://127.0.0.1:75\(number)\($0)" })
            introduction.cluster = [.none, Self.cluster, ClusterID(0xD0)][script.below(3)]
            let hello = introduction
            return written { hello.encode(requestID: id, into: &$0) }
        case 2, 3:
            let ping = Ping(
                incarnation: incarnation, sentAt: script.wild(), applied: mark,
                state: script.isOdd() ? .live : .draining,
                purpose: script.isOdd() ? .lease : .head)
            return written { ping.encode(requestID: id, into: &$0) }
        case 4:
            let ack = Ack(incarnation: incarnation, applied: mark)
            return written { ack.encode(requestID: id, into: &$0) }
        case 5:
            let resume = Resume(
                incarnation: script.isOdd() ? .none : incarnation, log: log, after: mark,
                limit: 1 + Int(script.byte()))
            return written { resume.encode(requestID: id, into: &$0) }
        case 6:
            let floors = FloorsRequest(
                incarnation: incarnation, log: log, applied: mark,
                firstBucket: Int(script.word()))
            return written { floors.encode(requestID: id, into: &$0) }
        default:
            let bye = Bye(incarnation: incarnation)
            return written { bye.encode(requestID: id, into: &$0) }
        }
    }

    private mutating func clientFrame(_ script: inout Script) -> [UInt8] {
        let id = UInt64(script.byte())
        let wait = WaitMode.allCases[script.below(3)]
        let operation = OperationID(high: 0, low: UInt64(script.byte() % 8))
        switch script.below(9) {
        case 8: return followFrame(id, &script)
        case 0...3:
            var request = InvalidateRequest(
                scopes: script.scopes(), strength: script.strength(), wait: wait,
                timeoutMilliseconds: UInt32(script.word()), operation: operation)
            request.ordersStore = script.byte() > 200
            return written { request.encode(requestID: id, into: &$0) }
        case 4:
            let position = script.isOdd() ? core.log.head.position : script.position()
            let request = AwaitRequest(
                position: position, wait: wait, timeoutMilliseconds: UInt32(script.word()))
            return written { request.encode(requestID: id, into: &$0) }
        case 5, 6: return paceFrame(id, operation, &script)
        default:
            let order = NodeOrder(.forget, Self.node(script.below(5)))
            return written { order.encode(requestID: id, into: &$0) }
        }
    }

    private mutating func followFrame(_ id: UInt64, _ script: inout Script) -> [UInt8] {
        var follow = FollowRequest(
            after: claim(&script), limit: 1 + Int(script.byte()),
            holdMilliseconds: UInt32(script.word()))
        follow.isFromHead = script.isOdd()
        if follow.isFromHead { follow.after = .none }
        let request = follow
        return written { request.encode(requestID: id, into: &$0) }
    }

    private func paceFrame(
        _ id: UInt64, _ operation: OperationID, _ script: inout Script
    ) -> [UInt8] {
        var request = PaceRequest(PaceRequest.Order.allCases[script.below(3)])
        request.operation = operation
        switch request.order {
        case .begin:
            request.strength = script.strength()
            request.spanMilliseconds = UInt32(script.word()) * 100
            request.scopes = script.scopes().filter {
                if case .key = $0.target { false } else { $0.hashRange == nil }
            }
        case .cancel: request.id = PacingID(UInt64(script.byte() % 4))
        case .list: break
        }
        let order = request
        return written { order.encode(requestID: id, into: &$0) }
    }
}
