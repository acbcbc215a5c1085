import ByteCoding
import CacheModel
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct NodeReasonTests {
    private func reason(
        _ state: NodeState, _ figures: [String: UInt64] = [:]
    ) throws -> NodeReason? {
        let shard = StatusSnapshot(
            role: .shard, state: state, name: "n2", position: Sample.position(5),
            digest: LogDigest(1), figures: figures, nodes: [])
        return NodeReason(NodeStatus(try Sample.node("n2"), shards: [shard]))
    }

    private func line(_ state: NodeState, _ figures: [String: UInt64]) throws -> String {
        try #require(try reason(state, figures)).line
    }

    @Test func aLiveNodeNeedsNone() throws {
        #expect(try reason(.live) == nil)
        let down = NodeStatus(
            try Sample.node("n2"), failure: CacheError(.timedOut, "no answer came"))
        #expect(NodeReason(down) == nil)
    }

    @Test func silenceSaysForHowLongAndOnWhichChannel() throws {
        var figures: [String: UInt64] = [
            "standing_reason": 2, "state_ms": 12_000, "control_silence_ms": 15_000,
            "heartbeat_silence_ms": 14_900,
        ]
        #expect(
            try line(.suspect, figures)
                == "n2 is SUSPECT for 12s: no answer from the publisher for 15s, no heartbeat for "
                + "14.9s")
        figures["heartbeat_silence_ms"] = 400
        #expect(
            try line(.suspect, figures)
                == "n2 is SUSPECT for 12s: no answer from the publisher for 15s, though its "
                + "heartbeats come: the control endpoint cannot be reached")
        figures["heartbeat_silence_ms"] = nil
        figures["control_silence_ms"] = nil
        #expect(
            try line(.starting, figures)
                == "n2 is STARTING for 12s: the publisher has never answered it, and no heartbeat "
                + "was ever heard")
    }

    @Test func replaysAndDrainsSayHowMuchIsLeft() throws {
        #expect(
            try line(.catchingUp, ["standing_reason": 4, "state_ms": 900, "replay_left": 1])
                == "n2 is CATCHING UP for 900ms: it missed records and has them replayed, 1 record "
                + "left")
        #expect(
            try line(.draining, ["standing_reason": 9, "waiting": 2, "uploads": 1])
                == "n2 is DRAINING: it was told to leave and finishes 2 requests and 1 upload")
        #expect(
            try line(.draining, ["standing_reason": 9, "waiting": 0, "uploads": 0])
                .hasSuffix("has finished what it accepted, and goes"))
    }

    /// Every number that a node may tell has a sentence of its own.
    @Test func everyReasonHasASentence() throws {
        let sentences = try StandingReason.allCases.map { code in
            try #require(try reason(.suspect, ["standing_reason": UInt64(code.rawValue)])).sentence
        }
        #expect(Set(sentences).count == StandingReason.allCases.count)
        let guess = try #require(try reason(.suspect)).sentence
        #expect(guess == "its lease is over and was not renewed")
        #expect(!sentences.contains(guess))
        let later = try #require(try reason(.suspect, ["standing_reason": 99])).sentence
        #expect(later == guess, "of a release that knows more")
        for state in NodeState.allCases where state != .live {
            #expect(try reason(state)?.sentence.isEmpty == false)
        }
    }
}
