import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

/// A client that follows the log, or what it may see of it: what the publisher says on the live
/// channel and to its questions.
///
///     manner 1 (odd: it begins at a position; from 128 on at one of the log's first), then each
///     event: kind 1, what it needs
enum FollowerFuzz: FuzzTarget {
    static let name = "follower"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let manner = script.byte()
        let near = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(UInt64(manner >> 5 & 3)))
        let start = manner & 1 == 0 ? nil : manner < 128 ? script.position() : near
        var follower = FuzzFollower(beginningAt: start)
        while !script.isAtEnd { follower.happen(script.below(12), &script) }
    }
}

/// A follower, and the log that it is told of.
private struct FuzzFollower {
    private var follower: InvalidationFollower
    private var part: FuzzPart
    private var log = FuzzLog(id: LogID(7))
    /// What was handed out last, or where it began; `nil` where anything may come next.
    private var last: LogPosition?

    init(beginningAt start: LogPosition?) {
        follower = InvalidationFollower(after: start)
        part = FuzzPart(beginningAt: start)
        last = start == LogPosition.none ? nil : start
    }

    mutating func happen(_ kind: Int, _ script: inout Script) {
        switch kind {
        case 0: log.append(script.scopes(), script.strength())
        case 1: log.begin(log.head.position.epoch.next)
        case 2, 3:
            let head = script.byte() < 224 ? log.head : script.mark()
            let versions = SharedVersions(configRevision: 1, topologyVersion: 1)
            let id = script.byte() < 240 ? log.id : LogID(script.wild())
            let heartbeat = Heartbeat(log: id, head: head, versions: versions)
            judge(follower.heard(heartbeat, room: script.below(4)))
        case 4:
            let answer = Truncated(
                log: log.id, head: script.isOdd() ? log.head : script.mark(), tail: .none)
            judge(follower.truncated(answer, room: script.below(4)))
        case 5: takeFrame(script.anyFrame(), room: script.below(16))
        case 8...11: part.happen(kind, &script, head: log.head)
        default:
            let first = script.below(min(log.records.count, 255) + 1)
            let records = Array(log.records[first...].prefix(script.below(8)))
            let run = RecordRun(records: records, head: script.isOdd() ? log.head : nil)
            judge(follower.received(run, room: script.below(16)))
        }
    }

    private mutating func takeFrame(_ frame: [UInt8], room: Int) {
        let run = frame.withUnsafeBytes { bytes -> RecordRun? in
            do throws(WireRefusal) {
                return try RecordRun(decoding: MessageView(decoding: bytes))
            } catch {
                return nil
            }
        }
        if let run { judge(follower.received(run, room: room)) }
        _ = follower.probe
    }

    /// Records are handed out one after the other, unless some are said to be lost.
    private mutating func judge(_ actions: [InvalidationFollower.Action]) {
        for action in actions {
            switch action {
            case .deliver(let record):
                let isNext = last.map { record.position.directlyFollows($0) } ?? true
                check(isNext, "no record is passed over in silence")
                last = record.position
            // Before its first record a log is nowhere, and number 1 of any life follows.
            case .lost(_, let place): last = place == .none ? nil : place
            case .heartbeat, .resume: break
            }
        }
        if last != nil { check(follower.position != nil, "who has heard something is somewhere") }
    }
}
