import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// DELETE, and SET in a replicated topology: the publisher's log orders them.
@Suite struct ShardCoreOrderingTests {
    private func published(_ shard: inout ShardHarness) -> [ShardPublishRequest] {
        let requests = shard.effects.compactMap { effect -> ShardPublishRequest? in
            if case .publish(let request) = effect { request } else { nil }
        }
        shard.effects = []
        return requests
    }

    private func statuses(_ replies: [ShardHarness.Reply]) -> [ResultStatus] {
        guard case .results(_, let outcomes) = replies.first else { return [] }
        return outcomes.map(\.status)
    }

    @Test func aDeleteIsAnsweredOnceItsInvalidationIsAppliedHere() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        #expect(shard.send(shard.deleteFrame(["a", "b"])).isEmpty)
        let request = try #require(published(&shard).first)
        #expect(request.scopes == [.key("a"), .key("b")])
        #expect(request.operation != .none)
        #expect(shard.get("a").status == .hit)

        let position = shard.invalidate(.key("a"), .key("b"))
        #expect(shard.finishWaiting().isEmpty)
        shard.core.published(ticket: request.ticket, at: position)
        #expect(statuses(shard.finishWaiting()) == [.removed, .removed])
        #expect(shard.get("a").status == .miss)
    }

    @Test func aReplicatedSetIsOrderedByTheLog() throws {
        var shard = ShardHarness(isReplicated: true)
        #expect(shard.send(shard.setFrame("a", "one")).isEmpty)
        let request = try #require(published(&shard).first)
        let position = shard.invalidate(.key("a"))
        shard.core.published(ticket: request.ticket, at: position)
        guard case .results(_, let outcomes) = shard.finishWaiting().first else {
            Issue.record("the store is answered once its position is applied")
            return
        }
        #expect(outcomes.first?.status == .stored)
        #expect(outcomes.first?.fields.token?.position == position)
        #expect(shard.get("a").text == "one")
    }

    @Test(arguments: [NamespacePolicy.BlindSet.reject, .holdOff])
    func aBlindReplicatedSetIsRefusedBeforeItsKeyIsPublished(
        blindSet: NamespacePolicy.BlindSet
    ) throws {
        var shard = ShardHarness(isReplicated: true)
        var policy = NamespacePolicy()
        policy.blindSet = blindSet
        policy.holdOff = .seconds(2)
        shard.core.configure([:], fallback: policy)
        _ = shard.invalidate(.key("a"))
        let blind = shard.send(shard.setFrame("a", "old"))
        #expect(statuses(blind) == [.refused] && published(&shard).isEmpty)
        // One with a version is no blind one.
        var description = SetOperation.Description()
        description.version = Version(3)
        #expect(shard.send(shard.setFrame("a", "new", description)).isEmpty)
        let request = try #require(published(&shard).first)
        let position = shard.invalidate(.key("a"))
        shard.core.published(ticket: request.ticket, at: position)
        #expect(statuses(shard.finishWaiting()) == [.stored])
        #expect(shard.get("a").text == "new")
    }

    @Test func ofAReplicatedMessageOnlyTheBlindStoresAreRefused() throws {
        var shard = ShardHarness(isReplicated: true)
        var policy = NamespacePolicy()
        policy.blindSet = .holdOff
        policy.holdOff = .seconds(2)
        shard.core.configure([:], fallback: policy)
        shard.advance(by: .seconds(60))
        _ = shard.invalidate(.key("a"))
        let frame = shard.frame(.set, count: 2) { writer in
            for (key, value) in [("a", "old"), ("b", "new")] {
                Array(key.utf8).withUnsafeBytes { key in
                    Array(value.utf8).withUnsafeBytes { value in
                        SetOperation.append(key: key, value: value, .init(), to: &writer)
                    }
                }
            }
        }
        #expect(shard.send(frame).isEmpty)
        let request = try #require(published(&shard).first)
        #expect(request.scopes == [.key("b")])
        let position = shard.invalidate(.key("b"))
        shard.core.published(ticket: request.ticket, at: position)
        // By its own record the second would be refused, too, were it judged again.
        #expect(statuses(shard.finishWaiting()) == [.refused, .stored])
        #expect(shard.get("a").status == .miss)
    }

    /// A SET of "a" with that token and of "b" without one.
    private func mixedFrame(_ token: FillToken, _ shard: inout ShardHarness) -> [UInt8] {
        shard.frame(.set, count: 2) { writer in
            for (key, token) in [("a", token), ("b", nil)] {
                var description = SetOperation.Description()
                description.token = token
                Array(key.utf8).withUnsafeBytes { key in
                    Array("new".utf8).withUnsafeBytes { value in
                        SetOperation.append(key: key, value: value, description, to: &writer)
                    }
                }
            }
        }
    }

    @Test func aStoreByTokenIsNotPublishedWithABlindOne() throws {
        var shard = ShardHarness(isReplicated: true)
        let given = shard.token(for: "a")
        let token = try #require(given)
        let frame = mixedFrame(token, &shard)
        #expect(shard.send(frame).isEmpty)
        let request = try #require(published(&shard).first)
        #expect(request.scopes == [.key("b")])
        let position = shard.invalidate(request.scopes[0])
        shard.core.published(ticket: request.ticket, at: position)
        #expect(statuses(shard.finishWaiting()) == [.stored, .stored])
        #expect(shard.get("a").text == "new" && shard.get("b").text == "new")
    }

    @Test func aTokenStoreSucceedsBesideARefusedBlindStore() throws {
        var shard = ShardHarness(isReplicated: true)
        var policy = NamespacePolicy()
        policy.blindSet = .reject
        shard.core.configure([:], fallback: policy)
        let given = shard.token(for: "a")
        let token = try #require(given)
        let frame = mixedFrame(token, &shard)
        #expect(statuses(shard.send(frame)) == [.stored, .refused])
        #expect(published(&shard).isEmpty)
    }

    @Test func ofTwoRacingReplicatedSetsTheLaterPositionWinsOnEveryReplica() throws {
        var first = FillToken(position: .none, incarnation: .none, nonce: 0)
        var second = first
        var positions: [LogPosition] = []
        for order in [[0, 1], [1, 0]] {
            var shard = ShardHarness(isReplicated: true)
            positions = [shard.invalidate(.key("a")), shard.invalidate(.key("a"))]
            first.position = positions[0]
            second.position = positions[1]
            for index in order {
                _ = shard.fill("a", "v\(index)", index == 0 ? first : second)
            }
            #expect(shard.get("a").text == "v1")
        }
    }

    @Test func aVersionedReplicatedSetSparesANewerVersion() throws {
        var shard = ShardHarness(isReplicated: true)
        _ = shard.send(shard.setFrame("a", "old", .init(version: Version(3))))
        let request = try #require(published(&shard).first)
        #expect(request.scopes.first?.minimumVersion == Version(3))
    }

    @Test func withoutAPublisherAnOrderedStoreIsRefused() throws {
        var shard = ShardHarness(isReplicated: true)
        _ = shard.send(shard.setFrame("a", "one"))
        let request = try #require(published(&shard).first)
        shard.core.published(ticket: request.ticket, at: nil)
        guard case .results(_, let outcomes) = shard.finishWaiting().first else {
            Issue.record("a failed publication is answered")
            return
        }
        #expect(outcomes.first?.refusal == .publisherUnreachable)
        #expect(shard.get("a").status == .miss)
    }

    @Test func aLargeDeleteIsSplitIntoRecordsThatFit() throws {
        var shard = ShardHarness()
        let keys = (0..<1_024).map { "key-\($0)-" + String(repeating: "x", count: 200) }
        _ = shard.send(shard.deleteFrame(keys))
        let requests = published(&shard)
        #expect(requests.count > 1)
        let scopeCount: Int = requests.reduce(0) { $0 + $1.scopes.count }
        #expect(scopeCount == 1_024)
        #expect(Set(requests.map(\.operation)).count == requests.count)
        for request in requests { _ = shard.log.append(request.scopes) }
    }

    @Test func whenTooManyWaitTheNextIsToldToComeBack() {
        var shard = ShardHarness()
        for index in 0..<ShardLimits.waitingMax {
            #expect(shard.send(shard.deleteFrame(["k\(index)"])).isEmpty)
        }
        #expect(statuses(shard.send(shard.deleteFrame(["last"]))) == [.busy])
        shard.advance(by: .seconds(5))
        var answered = 0
        while true {
            let replies = shard.finishWaiting()
            if replies.isEmpty { break }
            answered += replies.count
        }
        #expect(answered == ShardLimits.waitingMax)
    }

    @Test func theLastStoreOfAKeyInAMessageWins() throws {
        var shard = ShardHarness(isReplicated: true)
        let frame = shard.frame(.set, count: 2) { writer in
            for value in ["one", "two"] {
                Array("a".utf8).withUnsafeBytes { key in
                    Array(value.utf8).withUnsafeBytes {
                        SetOperation.append(key: key, value: $0, .init(), to: &writer)
                    }
                }
            }
        }
        #expect(shard.send(frame).isEmpty)
        let request = try #require(published(&shard).first)
        let position = shard.invalidate(.key("a"))
        shard.core.published(ticket: request.ticket, at: position)
        #expect(statuses(shard.finishWaiting()) == [.stored, .stored])
        #expect(shard.get("a").text == "two")
    }

    @Test func aCopyIsMarkedLikeTheStoreItCopies() {
        for (version, tags) in [(Version.none, []), (Version(3), []), (Version(3), ["t"])] {
            var shard = ShardHarness(isReplicated: true)
            var description = SetOperation.Description(
                version: version, tags: tags.map(Tag.named))
            description.token = FillToken(
                position: shard.invalidate(.key("a")), incarnation: .none, nonce: 0)
            #expect(shard.set("a", "one", description).status == .stored)
            #expect(shard.get("a").flags.contains(.unfenced))
        }
    }
}
