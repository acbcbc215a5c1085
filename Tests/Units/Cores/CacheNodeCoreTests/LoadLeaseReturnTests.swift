import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// Load leases whose holder did not hear of them, or does not need them.
@Suite struct LoadLeaseReturnTests {
    private let other = ShardHarness.makePeer(2)

    private func outcome(_ replies: [ShardHarness.Reply]) throws -> ShardHarness.Outcome {
        guard case .results(_, let outcomes) = try #require(replies.first) else {
            throw WireRefusal(.malformed, "it is no RESULTS")
        }
        return try #require(outcomes.first)
    }

    @Test func aQuestionThatIsAskedAgainIsGrantedItsOwnLease() throws {
        var shard = ShardHarness()
        let given = shard.token(for: "a")
        let first = try #require(given)
        let again = RequestShape(isAgain: true)
        let second = try #require(shard.get("a", .token, again).fields.token)
        #expect(second.nonce == first.nonce)
        let frame = shard.getFrame(["a"], .token, again)
        let elsewhere = try outcome(shard.send(frame, from: other))
        #expect(elsewhere.fields.token == nil && elsewhere.fields.retryAfterMilliseconds != nil)
        #expect(shard.fill("a", "1", second).status == .stored)
    }

    @Test func aSecondLoadOfTheSameClientWaits() {
        var shard = ShardHarness()
        _ = shard.token(for: "a")
        #expect(shard.token(for: "a") == nil)
    }

    @Test func aRepeatedRequestGetsANewTokenAfterAnInvalidation() throws {
        var shard = ShardHarness()
        let given = shard.token(for: "a")
        let first = try #require(given)
        _ = shard.invalidate(.key("a"))
        let second = try #require(
            shard.get("a", .token, RequestShape(isAgain: true)).fields.token)
        #expect(second.nonce != first.nonce && second.position > first.position)
        #expect(shard.fill("a", "old", first).refusal == .invalidatedMeanwhile)
    }

    @Test func aLeaseGrantedAgainOutlivesAnAnswerTakenBack() throws {
        var shard = ShardHarness()
        shard.readThrough()
        let given = shard.token(for: "a")
        let token = try #require(given)
        let frame = shard.frame(.get, count: 2, RequestShape(isAgain: true)) { writer in
            for (key, options) in [("a", GetOperation.Options.token), ("b", [])] {
                Array(key.utf8).withUnsafeBytes {
                    GetOperation.append(key: $0, options: options, to: &writer)
                }
            }
        }
        #expect(shard.send(frame).isEmpty, "it waits for the load of b")
        #expect(shard.fill("a", "1", token).status == .stored)
    }

    @Test func aTokenThatIsGivenBackEndsItsLease() throws {
        var shard = ShardHarness()
        let given = shard.token(for: "a")
        let token = try #require(given)
        var description = SetOperation.Description()
        description.token = token
        description.options = .renew
        #expect(shard.set("a", "", description).refusal == .outOfRange)
        let next = try outcome(shard.send(shard.getFrame(["a"], .token), from: other))
        #expect(next.fields.token != nil)
        #expect(shard.fill("a", "1", token).refusal == .leaseVoid)
    }
}
