import ByteCoding
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// COMPARE says whether what is shown is what the origin has; and that it was asked changes
/// nothing.
@Suite struct ShardCoreComparingTests {
    /// A shard that reads through, with a loaded `a`.
    private static func shard(
        holding outcome: LoadOutcome? = .text("one") {
            $0.etag("e1")
            $0.version = Version(7)
        }
    ) -> ShardHarness {
        var shard = ShardHarness()
        shard.readThrough { $1.negativeTimeToLive = .seconds(60) }
        if let outcome {
            let load = shard.ask("a")
            #expect(shard.end(load, outcome).count == 1)
        }
        return shard
    }

    private static func frame(
        _ shard: inout ShardHarness, _ key: String = "a"
    ) throws -> [UInt8] {
        let key = try #require(CacheKey(key))
        return shard.frame(.compare, count: 0) { writer in
            writer.append(UInt16(key.bytes.count))
            writer.append(key.bytes)
        }
    }

    private static func replies(_ shard: inout ShardHarness) throws -> [ShardHarness.Reply] {
        let frame = try frame(&shard)
        return shard.send(frame)
    }

    /// Asks, and returns the question to the origin.
    private static func question(_ shard: inout ShardHarness) throws -> ShardLoad {
        #expect(try replies(&shard).isEmpty)
        let loads = shard.takeLoads()
        #expect(loads.count == 1)
        return try #require(loads.first)
    }

    /// What is answered without asking the origin.
    private static func answer(_ shard: inout ShardHarness) throws -> OriginComparison {
        let replies = try replies(&shard)
        guard case .comparison(let found)? = replies.first, shard.takeLoads().isEmpty else {
            throw Unanswered()
        }
        return found
    }

    private static func answer(
        _ shard: inout ShardHarness, to question: ShardLoad, _ outcome: LoadOutcome
    ) throws -> OriginComparison {
        shard.core.loadEnded(
            question.number, outcome, now: shard.now, effects: &shard.effects)
        return try finished(&shard)
    }

    private static func finished(_ shard: inout ShardHarness) throws -> OriginComparison {
        guard case .comparison(let found)? = shard.finishWaiting().first else {
            throw Unanswered()
        }
        return found
    }

    private struct Unanswered: Error {}

    // MARK: Verdicts

    @Test func equalBytesAreTheSameWhateverTheirNames() throws {
        var shard = Self.shard()
        let question = try Self.question(&shard)
        #expect(question.urgency == .prefetch && question.peer == nil)
        #expect(question.request.validator == nil && question.request.key == CacheKey("a"))
        shard.advance(by: .milliseconds(30))
        let found = try Self.answer(
            &shard, to: question, .text("one") { $0.etag("e2") })
        #expect(found.verdict == .same && found.failure == nil)
        #expect(found.took == .milliseconds(30))
        #expect(found.shown?.etag == Validator("e1") && found.origin?.etag == Validator("e2"))
        #expect(found.shown?.digest == found.origin?.digest)
    }

    @Test func otherBytesDifferAndBothSidesAreTold() throws {
        var shard = Self.shard()
        shard.advance(by: .seconds(2))
        let question = try Self.question(&shard)
        let found = try Self.answer(
            &shard, to: question, .text("three") { $0.version = Version(9) })
        #expect(found.verdict == .differs && found.state == .live)
        let shown = try #require(found.shown)
        #expect(shown.valueBytes == 3 && shown.version == Version(7))
        #expect(shown.digest == StableHash.hash(Array("one".utf8)))
        let origin = try #require(found.origin)
        #expect(origin.valueBytes == 5 && origin.version == Version(9) && origin.etag == nil)
        #expect((1_900...2_100).contains(found.age.wholeMilliseconds) && !found.isUnfenced)
        #expect(found.filled == shard.log.head.position && found.applied == found.filled)
    }

    @Test func thatThereIsNoneIsComparedAsWell() throws {
        for (held, origin, verdict) in [
            (LoadOutcome.none(), LoadOutcome.none(), OriginComparison.Verdict.same),
            (.none(), .text("one"), .differs), (.text("one"), .none(), .differs),
        ] {
            var shard = Self.shard(holding: held)
            let question = try Self.question(&shard)
            let found = try Self.answer(&shard, to: question, origin)
            #expect(found.verdict == verdict)
            #expect((found.shown == nil) == (held == .none()))
            #expect((found.origin == nil) == (origin == .none()))
        }
    }

    @Test func whatNoGetWouldShowAsFreshIsNotAskedFor() throws {
        var absent = Self.shard(holding: nil)
        #expect(try Self.answer(&absent).verdict == .notShown)
        var invalidated = Self.shard()
        _ = invalidated.invalidate(.key("a"))
        #expect(try Self.answer(&invalidated).verdict == .notShown)
        var soft = Self.shard()
        _ = soft.invalidate(.key("a"), strength: .soft)
        #expect(try Self.answer(&soft).verdict == .notShown)
        var expired = Self.shard()
        expired.advance(by: .seconds(61))
        #expect(try Self.answer(&expired).verdict == .notShown)
        var negative = Self.shard(holding: LoadOutcome.none())
        negative.core.setStanding(.unheard)
        #expect(try Self.answer(&negative).verdict == .notShown)
    }

    @Test func aKeyWithQueuedWritesIsNotComparedWithItsOrigin() throws {
        let line = WriteLine(namespace: .default, key: try #require(CacheKey("a")))
        var shard = Self.shard()
        let question = try Self.question(&shard)
        shard.core.hold(line)
        #expect(try Self.answer(&shard, to: question, .text("two")).verdict == .pending)
        #expect(try Self.answer(&shard).verdict == .pending)
    }

    @Test func whatChangedMeanwhileIsNoAnswer() throws {
        var shard = Self.shard()
        let question = try Self.question(&shard)
        _ = shard.invalidate(.key("a"))
        #expect(
            try Self.answer(&shard, to: question, .text("two")).verdict == .changed)

        var replaced = Self.shard()
        let other = try Self.question(&replaced)
        _ = replaced.set("a", "two")
        let found = try Self.answer(&replaced, to: other, .text("two"))
        #expect(found.verdict == .changed && found.shown == nil && found.origin == nil)
    }

    @Test func anOriginThatFailsIsNotDifferent() throws {
        for failure in LoadFailure.allCases {
            var shard = Self.shard()
            let question = try Self.question(&shard)
            let found = try Self.answer(&shard, to: question, .error(failure))
            #expect(found.verdict == .failed && found.failure == failure)
        }
        var shard = Self.shard()
        let question = try Self.question(&shard)
        let found = try Self.answer(&shard, to: question, .unchanged(LoadedFacts()))
        #expect(found.verdict == .failed && found.failure == .malformed)
    }

    @Test func aComparisonPastItsTimeoutFailsAsStillLoading() throws {
        var shard = Self.shard()
        let question = try Self.question(&shard)
        shard.advance(by: .seconds(6))
        let found = try Self.finished(&shard)
        #expect(found.verdict == .failed && found.failure == .stillLoading)
        // What comes later is dropped.
        shard.core.loadEnded(
            question.number, .text("two"), now: shard.now, effects: &shard.effects)
        #expect(shard.finishWaiting().isEmpty)
    }

    @Test func aNamespaceWithoutAnOriginHasNothingToCompareWith() throws {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        guard case .error(let error)? = try Self.replies(&shard).first else {
            throw Unanswered()
        }
        #expect(error.knownCode == .unsupported)
    }

    // MARK: Nothing else moves

    @Test func askingStoresNothingAndCountsNothing() throws {
        var shard = Self.shard()
        let before = shard.core.statistics
        let loads = shard.core.loads.statistics
        let question = try Self.question(&shard)
        let found = try Self.answer(&shard, to: question, .text("two"))
        #expect(found.verdict == .differs)
        var after = shard.core.statistics
        after.messages = before.messages
        #expect(after == before && shard.core.loads.statistics == loads)
        let again = shard.get("a")
        #expect(again.status == .hit && again.value == Array("one".utf8))
    }

    @Test func aComparisonNeitherSharesALoadNorIsShared() throws {
        var shard = Self.shard()
        let question = try Self.question(&shard)
        let asked = shard.askAnew("a")
        let load = try #require(asked)
        #expect(load.number != question.number)
        #expect(
            try Self.answer(&shard, to: question, .text("one")).verdict == .same)
        let outcomes = shard.end(load, .text("two"))
        #expect(outcomes.map(\.value) == [Array("two".utf8)])
    }

    @Test func onlySoManyAreUnderWay() throws {
        var shard = Self.shard()
        var questions: [ShardLoad] = []
        for _ in 0..<ShardLimits.comparisonsMax { questions.append(try Self.question(&shard)) }
        guard case .error(let error)? = try Self.replies(&shard).first else {
            throw Unanswered()
        }
        #expect(error.knownCode == .busy)
        #expect(try Self.answer(&shard, to: questions[0], .text("one")).verdict == .same)
        _ = try Self.question(&shard)
    }
}

extension LoadedFacts {
    fileprivate mutating func etag(_ text: String) { validator = Validator(text) }
}
