import ByteCoding
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

@Suite struct ReplyBufferTests {
    private static let long = ShardLimits.ownMemoryBytesMin

    @Test func onlyLongRepliesUseTheirOwnMemory() {
        var replies = ReplyBuffer()
        Self.write(1, long: 100, into: &replies)
        Self.write(2, long: Self.long - 1, into: &replies)
        Self.write(3, long: Self.long, into: &replies)
        Self.write(4, long: 100, into: &replies)
        Self.write(5, long: 8 * Self.long, into: &replies)
        #expect(replies.entries.map(\.hasOwnMemory) == [false, false, true, false, true])
        #expect(replies.byteCount == 200 + 2 * Self.long - 1 + 8 * Self.long)
        for (index, length) in [100, Self.long - 1, Self.long, 100, 8 * Self.long].enumerated() {
            let bytes = Array(replies.bytes(of: replies.entries[index]))
            #expect(bytes == Self.bytes(UInt8(index + 1), long: length))
        }
    }

    @Test func memoryThatWasTakenOutlivesTheReplies() {
        var replies = ReplyBuffer()
        Self.write(1, long: 100, into: &replies)
        Self.write(2, long: Self.long, into: &replies)
        let entry = replies.entries[1]
        let bytes = replies.bytes(of: entry)
        let memory = replies.takeMemory(of: entry)
        replies.removeAll()
        for _ in 0..<10 { Self.write(7, long: 3 * Self.long, into: &replies) }
        #expect(Array(bytes) == Self.bytes(2, long: Self.long))
        #expect(bytes.baseAddress == UnsafeRawPointer(memory) + 100)
        memory.deallocate()
    }

    @Test func memoryMuchLongerThanItsReplyStaysWithTheWriterOnce() {
        var replies = ReplyBuffer()
        // As many short ones as make the writer's room large.
        let count = ShardLimits.ownMemoryFactorMax + 1
        for _ in 0..<count { Self.write(1, long: Self.long - 1, into: &replies) }
        Self.write(2, long: Self.long, into: &replies)
        let last = replies.entries[count]
        #expect(!last.hasOwnMemory)
        #expect(Array(replies.bytes(of: last)) == Self.bytes(2, long: Self.long))
        replies.removeAll()
        #expect(replies.byteCount == 0)
        Self.write(3, long: Self.long, into: &replies)
        #expect(replies.entries[0].hasOwnMemory, "the next turn has ordinary room again")
    }

    @Test func aReplyTakenBackBeforeItsEndLeavesNothing() {
        var replies = ReplyBuffer()
        Self.write(1, long: 10, into: &replies)
        replies.writer.append(zeros: 2 * Self.long)
        replies.writer.truncate(to: 10)
        Self.write(2, long: 20, into: &replies)
        #expect(replies.byteCount == 30)
        #expect(Array(replies.bytes(of: replies.entries[1])) == Self.bytes(2, long: 20))
    }

    @Test func aGroupOfLongRepliesEndsAtItsBound() {
        var shard = ShardHarness()
        let value = String(repeating: "x", count: 300 << 10)
        for number in 0..<16 {
            #expect(shard.set("k\(number)", value).status == .stored)
        }
        let asked = (0..<16).map { shard.getFrame(["k\($0)"]) }
        let next = Array(asked.joined()).withUnsafeBytes { all in
            var requests: [RequestFrame] = []
            var offset = 0
            for frame in asked {
                let bytes = UnsafeRawBufferPointer(rebasing: all[offset..<offset + frame.count])
                requests.append(RequestFrame(peer: ShardHarness.peer, bytes: bytes))
                offset += frame.count
            }
            return requests.withUnsafeBufferPointer { requests in
                shard.core.turn(
                    requests, from: 0, now: shard.now, into: &shard.replies,
                    effects: &shard.effects)
            }
        }
        let bytes = shard.replies.byteCount
        #expect((4...5).contains(next), "a group is handed out after a mebibyte, not after all")
        #expect(bytes < ShardLimits.replyBytesPerGroupMax + (300 << 10) + 4_096)
        #expect(shard.replies.entries.allSatisfy { $0.hasOwnMemory })
    }

    /// A reply of so many bytes that differ from all others'.
    private static func bytes(_ mark: UInt8, long length: Int) -> [UInt8] {
        (0..<length).map { mark &+ UInt8(truncatingIfNeeded: $0 % 251) }
    }

    private static func write(_ mark: UInt8, long length: Int, into replies: inout ReplyBuffer) {
        let start = replies.writer.count
        replies.writer.append(bytes(mark, long: length))
        replies.close(from: start, to: ShardHarness.peer, claimsFresh: false)
    }
}
