import CacheClientCore
import CacheModel
import CacheWire

/// A client that follows what its key may see, and whoever answers its questions.
struct FuzzPart {
    private var follower: PartFollower
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var question: PartFollower.Question?

    init(beginningAt start: LogPosition?) {
        let mark = start.map { LogMark(position: $0, digest: LogDigest(0)) }
        follower = PartFollower(after: mark, now: now)
    }

    mutating func happen(_ kind: Int, _ script: inout Script, head: LogMark) {
        switch kind {
        case 8: ask(room: script.below(8))
        case 9: answer(&script, head)
        case 10: refuse(&script)
        default: now = now.advanced(by: script.duration())
        }
        _ = (follower.nextLook, follower.isLongSilent)
        if follower.isLongSilent, script.isOdd() { follower.startsAnew() }
    }

    private mutating func ask(room: Int) {
        guard let asked = follower.question(room: room, now: now) else { return }
        check(asked.request.limit < max(room, 2), "no more is asked for than there is room")
        let frame = written { asked.request.encode(requestID: asked.requestID, into: &$0) }
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                let again = try FollowRequest(decoding: MessageView(decoding: bytes).body)
                check(again == asked.request, "a question travels as it is")
            } catch {
                fatalError("a question is not of the protocol: \(error.sentence)")
            }
        }
        question = asked
    }

    /// As the publisher may answer, or of any bytes.
    private mutating func answer(_ script: inout Script, _ head: LogMark) {
        let id = script.byte() < 200 ? question?.requestID ?? 0 : UInt64(script.byte())
        let frame: [UInt8]
        if script.isOdd() {
            frame = script.anyFrame()
        } else {
            let through = script.isOdd() ? head : script.mark()
            var answer = Followed(through: through, head: max(head.position, through.position))
            answer.isLost = script.byte() > 200
            let said = answer
            frame = written { said.encode(requestID: id, into: &$0) }
        }
        let read = frame.withUnsafeBytes { bytes -> Followed? in
            do throws(WireRefusal) {
                return try Followed(decoding: MessageView(decoding: bytes))
            } catch {
                return nil
            }
        }
        if let read { judge(follower.answered(read, to: id, now: now)) }
    }

    private mutating func refuse(_ script: inout Script) {
        let codes = ErrorCode.allCases
        var error = ErrorReply(codes[script.below(codes.count)], "no")
        if script.isOdd() { error.retryAfterMilliseconds = UInt32(script.word()) }
        judge(follower.refused(error, to: question?.requestID ?? 0, now: now))
    }

    private func judge(_ actions: [PartFollower.Action]) {
        var last = LogPosition.none
        for case .deliver(let record) in actions {
            check(!record.scopes.isEmpty, "a record says something")
            check(record.position > last, "the records of an answer are in order")
            last = record.position
        }
    }
}
