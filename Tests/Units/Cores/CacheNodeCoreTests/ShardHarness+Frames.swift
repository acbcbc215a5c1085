import CacheWire
import CacheLoading
import CacheNodeCore

/// Replies as bytes, for who passes them on.
extension ShardHarness {
    struct ReplyFrame {
        var peer: PeerID
        var bytes: [UInt8]
    }

    static func decodeFrame(_ frame: [UInt8]) -> Reply {
        frame.withUnsafeBytes { decode($0) }
    }

    mutating func sendFrames(_ frame: [UInt8], from peer: PeerID) -> [ReplyFrame] {
        replies.removeAll()
        frame.withUnsafeBytes { bytes in
            let frames = [RequestFrame(peer: peer, bytes: bytes)]
            _ = frames.withUnsafeBufferPointer { frames in
                core.turn(frames, from: 0, now: now, into: &replies, effects: &effects)
            }
        }
        return takeFrames()
    }

    mutating func endLoad(_ number: UInt64, _ outcome: LoadOutcome) {
        core.loadEnded(number, outcome, now: now, effects: &effects)
    }

    mutating func finishWaitingFrames() -> [ReplyFrame] {
        replies.removeAll()
        core.finishWaiting(now: now, into: &replies, effects: &effects)
        return takeFrames()
    }

    private mutating func takeFrames() -> [ReplyFrame] {
        var frames: [ReplyFrame] = []
        for entry in replies.entries {
            frames.append(ReplyFrame(peer: entry.peer, bytes: [UInt8](replies.bytes(of: entry))))
        }
        replies.removeAll()
        return frames
    }
}
