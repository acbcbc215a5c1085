import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What is held is asked about, renewed behind an answer, and shown by a node without a lease only
/// after the origin has confirmed it.
@Suite struct ShardCoreRevalidationTests {
    private static func held(
        _ shard: inout ShardHarness,
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) {
        shard.readThrough { policy, origin in
            policy.timeToLive = .seconds(10)
            origin.staleIfError = .seconds(60)
            change(&policy, &origin)
        }
        _ = shard.end(
            shard.ask("a"),
            .text("one") {
                $0.validator = Validator("\"1\"")
                $0.tags = [.named("t")]
            })
    }

    @Test func whatIsPastItsLifetimeIsAskedAboutAndHoldsAgain() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        let load = shard.ask("a", .details)
        #expect(load?.request.validator == Validator("\"1\""))
        let answers = shard.end(load, .unchanged(LoadedFacts()))
        #expect(answers[0].status == .hit && answers[0].text == "one" && answers[0].ttl > 9_990)
        #expect(answers[0].fields.etag == Validator("\"1\""))
        shard.advance(by: .seconds(9))
        #expect(shard.get("a").status == .hit)
        shard.advance(by: .seconds(2))
        let stale = shard.end(shard.ask("a"), .error(.unreachable))
        #expect(stale[0].status == .stale, "its windows are there again")
    }

    /// Two loads of a key were under way, and each that the origin confirmed had its readers begin
    /// another, because the other one had the lease: for ever. Simulation seed 91 279.
    @Test func whatIsConfirmedHoldsThoughALaterLoadIsUnderWay() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        let first = shard.ask("a")
        shard.advance(by: .milliseconds(10))
        let second = shard.askAnew("a")
        shard.advance(by: .milliseconds(10))
        #expect(shard.end(first, .unchanged(LoadedFacts())).map(\.text) == ["one"])
        #expect(shard.takeLoads().isEmpty, "nobody needs a third")
        #expect(shard.get("a").status == .hit)
        #expect(shard.end(second, .unchanged(LoadedFacts())).map(\.text) == ["one"])
        #expect(shard.takeLoads().isEmpty)
    }

    /// A client's entry has no room for windows: it lives for its lifetime, and is not called fresh
    /// through a window that it cannot have. Found by the simulation.
    @Test func whatAClientStoredIsConfirmedForItsLifetimeAlone() {
        var shard = ShardHarness()
        shard.readThrough { policy, origin in
            policy.timeToLive = .seconds(10)
            origin.staleIfError = .seconds(60)
        }
        var description = SetOperation.Description(version: Version(1))
        description.etag = Validator("\"1\"")
        #expect(shard.set("a", "one", description).status == .stored)
        _ = shard.invalidate(.tag("t"))
        let load = shard.askAnew("a")
        #expect(load?.request.validator == Validator("\"1\""))
        _ = shard.end(load, .unchanged(LoadedFacts()))
        #expect(shard.get("a").ttl <= 10_000)
        shard.advance(by: .seconds(11))
        #expect(shard.ask("a") != nil, "it is over")
    }

    /// The value is held and was confirmed: that is the answer, and the next reader asks again.
    @Test func aRevalidationWithoutLifetimeAnswersItsWaitingReaders() {
        var shard = ShardHarness()
        Self.held(&shard)
        for _ in 1...3 {
            shard.advance(by: .seconds(11))
            let load = shard.ask("a")
            #expect(shard.ask("a") == nil, "joined")
            let answers = shard.end(load, .unchanged(Self.over))
            #expect(answers.map(\.text) == ["one", "one"])
            #expect(answers.allSatisfy { $0.status == .hit && $0.flags == [] && $0.ttl == 0 })
            #expect(shard.takeLoads().isEmpty)
        }
        let stale = shard.end(shard.ask("a"), .error(.unreachable))
        #expect(stale.map(\.status) == [.stale], "its window goes on")
    }

    @Test func aRevalidationWithoutLifetimeAnswersABatchWaitingForOtherKeys() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        #expect(shard.send(shard.getFrame(["a", "b"])).isEmpty)
        let loads = shard.takeLoads()
        #expect(shard.end(loads[0], .unchanged(Self.over)).isEmpty)
        shard.advance(by: .seconds(1))
        #expect(shard.end(loads[1], .text("two")).map(\.text) == ["one", "two"])
        #expect(shard.takeLoads().isEmpty)
    }

    @Test func whatWasConfirmedAndThenSoftlyInvalidatedIsMarked() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        #expect(shard.send(shard.getFrame(["a", "b"])).isEmpty)
        let loads = shard.takeLoads()
        #expect(shard.end(loads[0], .unchanged(LoadedFacts())).isEmpty)
        _ = shard.invalidate(.tag("t"), strength: .soft)
        let answers = shard.end(loads[1], .text("two"))
        #expect(answers.map(\.text) == ["one", "two"] && answers.map(\.flags) == [.overtaken, []])
    }

    /// `max-age=0`, or an Age beyond it.
    private static var over: LoadedFacts {
        var facts = LoadedFacts()
        facts.lifetime = .zero
        return facts
    }

    @Test func aWordWithoutWindowsTakesThemAway() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        var facts = LoadedFacts()
        facts.lifetime = .seconds(5)
        facts.staleWhileRevalidate = .zero
        facts.staleIfError = .zero
        let answers = shard.end(shard.ask("a"), .unchanged(facts))
        #expect(answers[0].status == .hit && answers[0].ttl > 4_900 && answers[0].ttl <= 5_000)
        shard.advance(by: .seconds(6))
        let failed = shard.end(shard.ask("a"), .error(.unreachable))
        #expect(failed.map(\.status) == [.failed])
    }

    /// Scenario 8: the 304 comes back after an invalidation, and brings nothing back.
    @Test(arguments: InvalidationRecord.Strength.allCases)
    func anUnchangedThatAnInvalidationOvertakesBringsNothingBack(
        strength: InvalidationRecord.Strength
    ) {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        let load = shard.ask("a")
        _ = shard.invalidate(.tag("t"), strength: strength)
        #expect(shard.end(load, .unchanged(LoadedFacts())).isEmpty, "it is loaded once more")
        let again = shard.takeLoads()
        #expect(again.count == 1)
        #expect(again[0].request.validator == (strength == .hard ? nil : Validator("\"1\"")))
        let answers = shard.end(again[0], .text("two"))
        #expect(answers.map(\.text) == ["two"] && answers[0].flags == [])
    }

    @Test func anAnswerThatDoesNotFitTheQuestionIsAskedForWhole() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.advance(by: .seconds(11))
        #expect(shard.end(shard.ask("a"), .error(.malformed)).isEmpty)
        let again = shard.takeLoads()
        #expect(again.count == 1 && again[0].request.validator == nil)
        #expect(shard.end(again[0], .text("two")).map(\.text) == ["two"])
    }

    /// Scenario 7: one refresh behind many stale answers; if it fails the value stays as stale.
    @Test func oneReaderHasItRefreshedBehindItsAnswer() {
        var shard = ShardHarness()
        Self.held(&shard) { _, origin in origin.staleWhileRevalidate = .seconds(30) }
        shard.advance(by: .seconds(11))
        for _ in 0..<10 { #expect(shard.get("a").status == .stale) }
        let first = shard.takeLoads()
        #expect(first.count == 1 && first[0].urgency == .refresh)
        #expect(shard.end(first[0], .error(.unavailable)).isEmpty)
        #expect(shard.get("a").status == .stale)
        let second = shard.takeLoads()
        #expect(second.count == 1)
        #expect(shard.end(second[0], .text("two")).isEmpty)
        #expect(shard.get("a").text == "two" && shard.get("a").status == .hit)
    }

    @Test func aRefreshThatAnInvalidationOvertakesIsNotStored() {
        var shard = ShardHarness()
        Self.held(&shard) { _, origin in origin.staleWhileRevalidate = .seconds(30) }
        shard.advance(by: .seconds(11))
        _ = shard.get("a")
        let refresh = shard.takeLoads()
        _ = shard.invalidate(.key("a"))
        _ = shard.end(refresh[0], .text("old"))
        let load = shard.ask("a")
        #expect(load != nil && shard.end(load, .text("new")).map(\.text) == ["new"])
    }

    @Test func aReaderThatJoinsARefreshHastensIt() {
        var shard = ShardHarness()
        Self.held(&shard) { _, origin in origin.staleWhileRevalidate = .seconds(5) }
        shard.advance(by: .seconds(11))
        _ = shard.get("a")
        let refresh = shard.takeLoads()
        shard.advance(by: .seconds(10))
        #expect(shard.send(shard.getFrame(["a"])).isEmpty, "its window is over")
        #expect(
            shard.effects.contains {
                if case .hasten(let number) = $0 { number == refresh[0].number } else { false }
            })
        #expect(shard.takeLoads().isEmpty)
        #expect(shard.end(refresh[0], .text("two")).map(\.text) == ["two"])
    }

    @Test func theLastShareOfALifetimeIsRefreshedBehindAHit() {
        var shard = ShardHarness()
        Self.held(&shard) { _, origin in origin.refreshShare = Percent(20) ?? .none }
        shard.advance(by: .seconds(7))
        #expect(shard.get("a").status == .hit && shard.takeLoads().isEmpty)
        shard.advance(by: .milliseconds(1_500))
        #expect(shard.get("a").status == .hit)
        #expect(shard.takeLoads().map(\.urgency) == [.refresh])
    }

    // MARK: Without a lease

    @Test func aSuspectNodeAnswersWaitingReadersAfterRevalidation() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.core.setStanding(.unheard)
        let load = shard.ask("a")
        #expect(load?.request.validator == Validator("\"1\""))
        #expect(shard.ask("a") == nil, "joined")
        let answers = shard.end(load, .unchanged(LoadedFacts()))
        #expect(answers.map(\.text) == ["one", "one"])
        #expect(answers.allSatisfy { $0.status == .hit && $0.flags == .suspect })
        #expect(shard.ask("a") != nil, "the next one asks again")
    }

    @Test func aSuspectNodeLoadsWhatIsNotThere() {
        var shard = ShardHarness()
        shard.readThrough()
        shard.core.setStanding(.unheard)
        let answers = shard.end(shard.ask("a"), .text("one"))
        #expect(answers[0].status == .hit && answers[0].flags == .suspect)
    }

    @Test func aSuspectNodeServesStaleWhenItsOriginFails() {
        var shard = ShardHarness()
        Self.held(&shard)
        shard.core.setStanding(.unheard)
        let answers = shard.end(shard.ask("a"), .error(.unreachable))
        #expect(answers[0].status == .stale && answers[0].flags == .suspect)
    }

    @Test func anotherEpochHidesWhatIsHeldUntilTheOriginConfirmsIt() {
        var shard = ShardHarness()
        Self.held(&shard)
        let late = shard.ask("b")
        shard.beginEpoch(2)
        let load = shard.ask("a")
        #expect(load?.request.validator == Validator("\"1\""))
        #expect(shard.end(load, .unchanged(LoadedFacts())).map(\.flags) == [[]])
        #expect(shard.get("a").text == "one")
        let answers = shard.end(late, .text("of another epoch"))
        #expect(answers.allSatisfy { $0.flags.contains(.overtaken) || $0.status != .hit })
        #expect(shard.ask("b") != nil, "nothing of the epoch before is stored")
    }
}
