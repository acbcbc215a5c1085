import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Which replies may be replaced by BUSY, which says that nothing was done.
@Suite struct ReplacedReplyTests {
    @Test func theReplyToAReadMayBeReplaced() {
        var shard = ShardHarness()
        _ = shard.set("a", "1")
        #expect(shard.mayBeReplaced(shard.getFrame(["a"])) == [true])
        #expect(shard.mayBeReplaced(shard.frame(.status, count: 0) { _ in }) == [true])
    }

    @Test func theReplyToAWriteThatWasDoneIsNeverReplaced() {
        var shard = ShardHarness()
        #expect(shard.mayBeReplaced(shard.setFrame("a", "1")) == [false])
        #expect(shard.mayBeReplaced(shard.touchFrame("a", ttl: 5)) == [false])
        #expect(shard.mayBeReplaced(shard.getFrame(["a"])) == [true], "the next is judged alone")
    }

    @Test func aRemovalThatWaitedForTheLogIsNeverReplaced() {
        var shard = ShardHarness()
        #expect(shard.mayBeReplaced(shard.deleteFrame(["a"])) == [])
        let position = shard.invalidate(.key("a"))
        shard.core.published(ticket: shard.publishedTicket, at: position)
        shard.replies.removeAll()
        shard.core.finishWaiting(
            now: shard.now, into: &shard.replies, effects: &shard.effects)
        #expect(shard.replies.entries.map(\.mayBeReplaced) == [false])
    }

    /// Its reader waited until its time was over: one of 300 000 reads in the minute in which a
    /// publisher hung.
    @Test func aFreshReadThatOutlivesTheLeaseIsToBeAskedAgain() {
        var shard = ShardHarness()
        _ = shard.set("a", "1")
        #expect(shard.fates(shard.getFrame(["a"]), mayClaimFresh: true) == [.reply])
        #expect(shard.fates(shard.getFrame(["a"]), mayClaimFresh: false) == [.busy])
        #expect(shard.fates(shard.getFrame(["b"]), mayClaimFresh: false) == [.reply])
    }

    @Test func aMessageThatWasRefusedAsAWholeMayBeReplaced() {
        var shard = ShardHarness()
        var frame = shard.setFrame("a", "1")
        frame.append(0)
        #expect(shard.mayBeReplaced(frame) == [true])
    }
}

extension ShardHarness {
    /// The ticket of the last publication that was asked for.
    fileprivate var publishedTicket: UInt64 {
        for effect in effects.reversed() {
            if case .publish(let request) = effect { return request.ticket }
        }
        preconditionFailure("a removal is published")
    }

    /// Whether each reply to a frame may be replaced.
    fileprivate mutating func mayBeReplaced(_ frame: [UInt8]) -> [Bool] {
        answer(frame)
        defer { replies.removeAll() }
        return replies.entries.map(\.mayBeReplaced)
    }

    fileprivate mutating func fates(
        _ frame: [UInt8], mayClaimFresh: Bool
    ) -> [ReplyBuffer.Entry.Fate] {
        answer(frame)
        defer { replies.removeAll() }
        return replies.entries.map { $0.fate(mayClaimFresh: mayClaimFresh) }
    }

    private mutating func answer(_ frame: [UInt8]) {
        replies.removeAll()
        frame.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: Self.peer, bytes: bytes)]
            _ = frames.withUnsafeBufferPointer { frames in
                core.turn(frames, from: 0, now: now, into: &replies, effects: &effects)
            }
        }
    }
}
