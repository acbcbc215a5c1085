import ByteCoding
import CacheAccess
import CacheDisk
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

@testable import CacheNodeCore

/// What may happen to a shard.
extension FuzzShard {
    mutating func happen(_ kind: Int, _ script: inout Script) {
        switch kind {
        case 0: send(script.run(), &script)
        case 1, 2: send(script.anyFrame(), &script)
        case 3...8: send(dataFrame(&script), &script)
        case 9: now = now.advanced(by: script.duration())
        case 10: apply(&script)
        case 11: tick()
        case 12: core.finishWaiting(now: now, into: &replies, effects: &effects)
        case 13: endLoad(&script)
        case 14: endWrite(&script)
        case 15: endPublish(&script)
        case 16: answerHead(&script)
        case 17: stepDisk(&script)
        case 18: change(&script)
        case 19: forget(&script)
        case 20: shortenMemory(&script)
        default: remember(&script)
        }
    }

    mutating func send(_ frame: [UInt8], _ script: inout Script) {
        let (who, number) = (script.byte(), script.byte())
        let peer = Self.peer(number % 4)
        frame.withUnsafeBytes { bytes in
            let frames = [
                RequestFrame(
                    peer: peer, bytes: bytes, principal: PrincipalNumber(rawValue: UInt32(who % 7)))
            ]
            frames.withUnsafeBufferPointer { frames in
                let next = core.turn(
                    frames, from: 0, now: now, into: &replies, effects: &effects)
                check(next == 1, "a turn takes what is in it")
            }
        }
    }

    static func peer(_ number: UInt8) -> PeerID {
        let bytes: [UInt8] = [0, number, 0, 0, 7]
        guard let peer = bytes.withUnsafeBytes({ PeerID($0) }) else {
            fatalError("five bytes are a routing id")
        }
        return peer
    }

    private mutating func apply(_ script: inout Script) {
        let isAwaited = script.isOdd()
        let records = (0...script.below(3)).map { _ in
            log.append(script.scopes(), script.strength())
        }
        core.apply(records, isAwaited: isAwaited, now: now, effects: &effects)
    }

    private mutating func tick() {
        core.tick(now: now)
        core.noteDrained(effects: &effects)
    }

    private mutating func forget(_ script: inout Script) {
        let isPending = script.isOdd()
        if script.isOdd() {
            log.begin(log.head.position.epoch.next)
        } else {
            log.append(script.scopes(), script.strength())
        }
        let mark = log.head
        core.forget(
            continuingFrom: mark, of: log.id, isPending: isPending, now: now, effects: &effects)
        guard isPending, script.isOdd() else { return }
        core.settle(script.isOdd() ? TouchedScopes() : nil, from: mark)
    }

    private mutating func endPublish(_ script: inout Script) {
        guard !publishes.isEmpty else { return }
        let request = publishes.remove(at: script.below(min(publishes.count, 256)))
        guard script.isOdd() else { return core.published(ticket: request.ticket, at: nil) }
        let record = log.append(request.scopes, .hard)
        core.published(ticket: request.ticket, at: record.position)
        if script.isOdd() {
            core.apply([record], isAwaited: true, now: now, effects: &effects)
        } else {
            core.apply([record], isAwaited: false, now: now, effects: &effects)
            core.finishWaiting(now: now, into: &replies, effects: &effects)
        }
    }

    private mutating func answerHead(_ script: inout Script) {
        guard !headQuestions.isEmpty else { return }
        let number = headQuestions.remove(at: script.below(min(headQuestions.count, 256)))
        core.headKnown(number: number, head: log.head.position)
    }

    /// Something that is told seldom.
    private mutating func change(_ script: inout Script) {
        switch script.below(9) {
        case 0:
            core.setTopology(
                frame: Self.topology(setting, version: UInt32(script.byte())), now: now)
        case 1:
            core.setTopology(frame: Self.topology(Setting(rawValue: script.byte())), now: now)
        case 2: core.setConfig(ConfigReport(revision: UInt32(script.byte()), text: "nodes: []\n"))
        case 3: core.setAccess(script.isOdd() ? .empty : Self.table)
        case 4:
            let other = Setting(rawValue: script.byte())
            core.configure(Self.policies(other), fallback: Self.policy(other))
        case 5: setStanding(.suspect, lease: .zero)
        case 6: setStanding(.live, lease: script.duration())
        case 7: setStanding(.draining, lease: .seconds(3))
        case 8: core.setWarmUp(WarmUp.Progress())
        default:
            core.setQueueDepth(
                QueueDepth(
                    waiting: script.below(9), rejected: script.below(9),
                    isUnusable: script.isOdd()))
        }
        _ = (core.nextDeadline, core.isTickUrgent, core.mayClaimFresh(now: now))
    }

    private mutating func shortenMemory(_ script: inout Script) {
        core.setMemoryBudget(Int(script.word()) << 6)
        for _ in 0..<64 where core.isOverBudget { core.shrink(now: now) }
        if script.isOdd() { core.setMemoryBudget(.max) }
        _ = (core.memoryBudget, core.memoryInUse)
    }

    /// Of another life, or of a line of writes that wait.
    private mutating func remember(_ script: inout Script) {
        let line = WriteLine(namespace: script.namespace(), key: script.key())
        switch script.below(4) {
        case 0: core.hold(line)
        case 1: core.release(line, at: script.isOdd() ? log.head.position : .none)
        case 2: core.setLastLife(Incarnation(script.isOdd() ? 77 : 76))
        default:
            guard !queueQuestions.isEmpty else { return }
            core.queueReported(queueQuestions.removeFirst(), QueueReport())
        }
    }
}
