import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What is over and has an ETag is asked about before it is loaded whole, and is not shown before
/// its origin has confirmed it.
@Suite struct ShardCoreEndedTests {
    /// A shard with "one" of "a" in a namespace without any window.
    private static func held(_ change: (inout LoadedFacts) -> Void = { _ in }) -> ShardHarness {
        var shard = ShardHarness()
        shard.readThrough { policy, _ in policy.timeToLive = .seconds(10) }
        _ = shard.end(
            shard.ask("a"),
            .text("one") {
                $0.validator = Validator("\"1\"")
                $0.tags = [.named("t")]
                change(&$0)
            })
        return shard
    }

    private static var over: LoadedFacts {
        var facts = LoadedFacts()
        facts.lifetime = .zero
        return facts
    }

    @Test func whatHasExpiredWithoutAWindowIsAskedAboutAndHoldsAgain() {
        var shard = Self.held()
        shard.advance(by: .seconds(30))
        let load = shard.ask("a", .details)
        #expect(load?.request.validator == Validator("\"1\""))
        let answers = shard.end(load, .unchanged(LoadedFacts()))
        #expect(answers.map(\.text) == ["one"] && answers[0].ttl > 9_990)
        #expect(answers[0].fields.tags == [.named("t")])
        #expect(shard.get("a").status == .hit)
    }

    @Test func whatHasToBeAskedAboutBeforeEveryUseIsAskedAbout() {
        var shard = Self.held { $0.lifetime = .zero }
        for _ in 1...3 {
            shard.advance(by: .seconds(1))
            let load = shard.ask("a")
            #expect(load?.request.validator == Validator("\"1\""))
            let answers = shard.end(load, .unchanged(Self.over))
            #expect(answers.map(\.text) == ["one"] && answers[0].ttl == 0)
            #expect(answers[0].status == .hit && answers[0].flags == [])
            #expect(shard.takeLoads().isEmpty)
        }
        let changed = shard.end(shard.ask("a"), .text("two"))
        #expect(changed.map(\.text) == ["two"])
    }

    private static let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private static func large(_ change: (inout LoadedFacts) -> Void = { _ in }) -> LoadOutcome {
        var facts = LoadedFacts()
        facts.lifetime = .zero
        facts.validator = Validator("\"1\"")
        change(&facts)
        return .value(large, facts)
    }

    private static func part(
        _ whole: ResultFields.Whole, from offset: Int, of shard: inout ShardHarness
    ) -> ShardHarness.Outcome {
        let frame = shard.frame(.get, count: 1) { writer in
            Array("a".utf8).withUnsafeBytes {
                GetOperation.append(
                    key: $0, options: [],
                    part: GetOperation.Part(
                        identity: whole.identity, offset: UInt32(offset),
                        length: UInt32(WireLimits.chunkBytesMax)), to: &writer)
            }
        }
        return shard.only(frame)
    }

    @Test func aLargeValueThatMayNotBeReusedIsAnAnswer() throws {
        var shard = ShardHarness()
        shard.readThrough()
        let answers = shard.end(shard.ask("a"), Self.large())
        #expect(answers.map(\.status) == [.hit])
        let whole = try #require(answers.first?.fields.whole)
        #expect(whole.totalBytes == Self.large.count)
        let first = answers[0].value
        let rest = Self.part(whole, from: first.count, of: &shard).value
        let isWhole = first + rest == Self.large
        #expect(isWhole)
    }

    @Test func partsOfWhatWasJustConfirmedAreServed() throws {
        var shard = ShardHarness()
        shard.readThrough()
        _ = shard.end(shard.ask("a"), Self.large { $0.tags = [.named("t")] })
        shard.advance(by: .seconds(1))
        let answers = shard.end(shard.ask("a"), .unchanged(Self.over))
        let whole = try #require(answers.first?.fields.whole)
        let first = answers[0].value
        let rest = Self.part(whole, from: first.count, of: &shard).value
        let isWhole = first + rest == Self.large
        #expect(isWhole)
        #expect(shard.takeLoads().isEmpty)
        // It is shown to nobody else, and not after an invalidation.
        var other = whole
        other.identity &+= 1
        #expect(Self.part(other, from: first.count, of: &shard).status == .changed)
        _ = shard.invalidate(.tag("t"))
        #expect(Self.part(whole, from: first.count, of: &shard).status == .changed)
    }

    @Test func anExpiredEntryIsNeitherServedNorTouched() {
        var shard = Self.held()
        shard.advance(by: .seconds(11))
        #expect(shard.end(shard.ask("a"), .error(.unreachable)).map(\.status) == [.failed])
        #expect(shard.end(shard.ask("a", .allowStale), .error(.unreachable))[0].status == .failed)
        #expect(shard.only(shard.touchFrame("a", ttl: 60_000)).status == .refused)
        shard.core.configure([:], fallback: NamespacePolicy())
        #expect(shard.get("a", .allowStale).status == .miss)
    }

    @Test func whatWasInvalidatedAfterItsEndIsLoadedWhole() {
        for scope in [Scope.key("a"), .tag("t"), .all] {
            var shard = Self.held()
            shard.advance(by: .seconds(11))
            _ = shard.invalidate(scope)
            #expect(shard.ask("a")?.request.validator == nil)
        }
    }

    @Test func revalidationDoesNotRestoreAnEntryInvalidatedMeanwhile() {
        var shard = Self.held()
        shard.advance(by: .seconds(11))
        let load = shard.ask("a")
        _ = shard.invalidate(.tag("t"))
        #expect(shard.end(load, .unchanged(LoadedFacts())).isEmpty)
        let again = shard.takeLoads()
        #expect(again.count == 1 && again[0].request.validator == nil)
    }

    @Test func whatIsLongOverIsLoadedWhole() {
        var shard = Self.held()
        shard.advance(by: .seconds(700))
        #expect(shard.ask("a")?.request.validator == nil)
    }

    /// The origin changed its core: what it confirms is not to be kept any more.
    @Test func aConfirmationThatForbidsToKeepIsReadWholeAndNothingStays() {
        var shard = Self.held()
        shard.advance(by: .seconds(11))
        var forbidden = LoadedFacts()
        forbidden.mayStore = false
        #expect(shard.end(shard.ask("a"), .unchanged(forbidden)).isEmpty)
        let again = shard.takeLoads()
        #expect(again.count == 1 && again[0].request.validator == nil)
        let answers = shard.end(again.first, .text("one") { $0.mayStore = false })
        #expect(answers.map(\.text) == ["one"])
        #expect(shard.ask("a")?.request.validator == nil, "nothing is held")
    }

    @Test func whatWasStoredMeanwhileIsNotDroppedByIt() {
        var shard = Self.held()
        shard.advance(by: .seconds(11))
        let load = shard.ask("a")
        #expect(shard.set("a", "stored").status == .stored)
        var forbidden = LoadedFacts()
        forbidden.mayStore = false
        #expect(shard.end(load, .unchanged(forbidden)).isEmpty)
        #expect(shard.get("a").text == "stored")
    }
}
