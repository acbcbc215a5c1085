import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// A node that has lost its publisher, in a namespace with an origin: for a while it serves what it
/// holds and asks nothing, then it asks about each key once a second.
@Suite struct ShardCoreSuspectWindowTests {
    private static let window = Duration.seconds(300)

    /// Holds "a", and has lost its lease a moment ago.
    private static func suspect(
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) -> ShardHarness {
        var shard = ShardHarness()
        shard.makeLive(for: .seconds(3))
        shard.readThrough { policy, origin in
            policy.timeToLive = nil
            policy.suspect = .serveThenRevalidate
            change(&policy, &origin)
        }
        _ = shard.end(shard.ask("a"), .text("one") { $0.validator = Validator("\"1\"") })
        shard.advance(by: .seconds(4))
        return shard
    }

    /// The same, when the window has been over for a while.
    private static func late(
        _ change: (inout NamespacePolicy, inout OriginPolicy) -> Void = { _, _ in }
    ) -> ShardHarness {
        var shard = suspect(change)
        shard.advance(by: window)
        return shard
    }

    // MARK: Inside the window

    @Test func withinTheSuspectWindowHeldEntriesAreServedWithoutLoads() {
        var shard = Self.suspect()
        for _ in 0..<290 {
            shard.advance(by: .seconds(1))
            let answer = shard.get("a")
            #expect(answer.status == .stale && answer.text == "one")
            #expect(answer.flags == [.suspect, .tolerated])
        }
        #expect(shard.takeLoads().isEmpty)
        #expect(shard.core.loads.statistics.begun == 1)
    }

    @Test func withinTheSuspectWindowClientsReceiveNoToken() {
        var shard = Self.suspect()
        let answer = shard.get("a", .token)
        #expect(answer.status == .stale && answer.flags == [.suspect, .tolerated])
        #expect(answer.fields.token == nil && answer.text == "one")
    }

    @Test func withinTheSuspectWindowAMissingKeyIsLoadedOnce() {
        var shard = Self.suspect()
        let load = shard.ask("b")
        #expect(load != nil)
        #expect(shard.ask("b") == nil, "joined")
        let answers = shard.end(load, .text("two"))
        #expect(answers.map(\.text) == ["two", "two"])
        #expect(answers.allSatisfy { $0.status == .hit && $0.flags == .suspect })
        #expect(shard.get("b").status == .stale, "it is kept, and held from now on")
        #expect(shard.get("c", .token).fields.token != nil)
    }

    @Test func insideTheWindowThatThereIsNoneIsBelieved() {
        var shard = Self.suspect()
        _ = shard.end(shard.ask("b"), .none(for: .seconds(60)))
        let answer = shard.get("b")
        #expect(answer.status == .miss && answer.flags == [.suspect, .negative])
        #expect(shard.takeLoads().isEmpty)
    }

    @Test func readersThatRefuseWhatIsStaleNeverGetItForFresh() {
        var shard = Self.suspect()
        let strong = shard.send(
            shard.getFrame(["a"], [], RequestShape(deadlineMilliseconds: 100, isFresh: true)))
        for case .results(_, let outcomes) in strong {
            #expect(outcomes.allSatisfy { $0.status == .behind })
        }
        #expect(shard.askAnew("a") != nil, "network-only asks the origin")
        shard.advance(by: .seconds(20))
        #expect(shard.ask("a", [], RequestShape(maxAgeMilliseconds: 5_000)) == nil, "joined")
        #expect(shard.get("a").status == .stale)
    }

    @Test func aHardInvalidationHidesItInsideTheWindowToo() {
        var shard = Self.suspect()
        _ = shard.invalidate(.key("a"))
        #expect(shard.ask("a") != nil)
    }

    @Test func whatEndsInsideTheWindowIsLoadedAsEver() {
        var shard = Self.suspect { policy, _ in policy.timeToLive = .seconds(10) }
        shard.advance(by: .seconds(8))
        let load = shard.ask("a")
        #expect(load != nil && shard.end(load, .text("two")).map(\.text) == ["two"])
        #expect(shard.get("a").text == "two" && shard.takeLoads().isEmpty)
    }

    // MARK: After the window

    @Test func afterTheSuspectWindowReadersShareOneRevalidationPerSecond() {
        var shard = Self.late()
        for _ in 0..<5 {
            let load = shard.ask("a")
            #expect(load?.request.validator == Validator("\"1\""))
            #expect(shard.ask("a") == nil, "joined")
            shard.advance(by: .milliseconds(100))
            let answers = shard.end(load, .unchanged(LoadedFacts()))
            #expect(answers.map(\.text) == ["one", "one"])
            #expect(answers.allSatisfy { $0.status == .hit && $0.flags == .suspect })
            for _ in 0..<8 {
                shard.advance(by: .milliseconds(100))
                #expect(shard.get("a").flags == [.suspect, .tolerated])
            }
            #expect(shard.takeLoads().isEmpty)
            shard.advance(by: .milliseconds(150))
        }
    }

    @Test func afterTheSuspectWindowAFailingOriginIsCalledOncePerSecond() {
        var shard = Self.late()
        for _ in 0..<3 {
            let failed = shard.end(shard.ask("a"), .error(.unreachable))
            #expect(failed.map(\.status) == [.stale] && failed[0].flags.contains(.suspect))
            #expect(shard.get("a").status == .stale && shard.takeLoads().isEmpty)
            shard.advance(by: .seconds(1))
        }
    }

    @Test func aLoadThatTakesSecondsIsSharedAndNotBegunAgain() {
        var shard = Self.late()
        let load = shard.ask("a")
        for _ in 0..<3 {
            shard.advance(by: .seconds(1))
            #expect(shard.ask("a") == nil)
        }
        #expect(shard.end(load, .text("two")).map(\.text) == ["two", "two", "two", "two"])
    }

    @Test func afterTheWindowOneClientHasTheRightAndOthersWait() {
        var shard = Self.late()
        let first = shard.get("a", .token)
        #expect(first.status == .miss && first.fields.token != nil)
        #expect(first.fields.etag == Validator("\"1\""))
        let second = shard.get("a", .token)
        #expect(second.status == .miss && second.fields.token == nil)
        #expect(second.fields.retryAfterMilliseconds != nil)
    }

    @Test func afterTheSuspectWindowClientsGetOnlyValuesConfirmedWithinASecond() {
        var shard = Self.late()
        _ = shard.end(shard.ask("a"), .unchanged(LoadedFacts()))
        #expect(shard.get("a", .token).flags == [.suspect, .tolerated])
        shard.advance(by: .milliseconds(1_100))
        _ = shard.end(shard.ask("a"), .error(.unreachable))
        let waits = shard.get("a", .token)
        #expect(waits.status == .miss && waits.fields.token == nil)
        #expect(waits.fields.retryAfterMilliseconds.map { $0 <= 1_000 } == true)
        shard.advance(by: .milliseconds(1_100))
        #expect(shard.get("a", .token).fields.token != nil)
    }

    /// Simulation seed 486: a client was to wait for a load that had found no room.
    @Test func aReaderThatFindsNoRoomHasAskedNothing() {
        var shard = Self.late()
        for index in 0..<ShardLimits.waitingMax {
            #expect(shard.send(shard.deleteFrame(["k\(index)"])).isEmpty)
        }
        #expect(!shard.send(shard.getFrame(["a"])).isEmpty, "BUSY")
        #expect(shard.takeLoads().isEmpty)
        #expect(shard.get("a", .token).fields.token != nil)
    }

    /// Simulation seed 1348: a client was to wait for a load from before the invalidation.
    @Test func whatAnInvalidationSparesByItsVersionIsAskedAboutAnew() {
        var shard = Self.late()
        var description = SetOperation.Description(version: Version(7))
        description.etag = Validator("\"7\"")
        #expect(shard.set("b", "seven", description).status == .stored)
        _ = shard.end(shard.ask("b"), .error(.unreachable))
        #expect(shard.get("b", .token).fields.token == nil, "it waits for its turn")
        var scope = Scope.key("b")
        scope.minimumVersion = Version(7)
        _ = shard.invalidate(scope)
        #expect(shard.get("b", .token).fields.token != nil)
    }

    @Test func aMultiGetWaitingForOneKeyReturnsTheOthersUnchanged() {
        var shard = Self.late()
        _ = shard.end(shard.ask("a"), .unchanged(LoadedFacts()))
        shard.advance(by: .milliseconds(900))
        #expect(shard.send(shard.getFrame(["a", "b"])).isEmpty)
        let loads = shard.takeLoads()
        #expect(loads.count == 1)
        shard.advance(by: .milliseconds(900))
        #expect(shard.end(loads[0], .text("two")).map(\.text) == ["one", "two"])
        #expect(shard.takeLoads().isEmpty)
    }

    /// Its disk may hold what was in doubt for days.
    @Test func aRunThatNeverHadALeaseHasNoWindow() {
        var shard = ShardHarness(isLive: false)
        shard.readThrough { policy, _ in
            policy.timeToLive = nil
            policy.suspect = .serveThenRevalidate
        }
        _ = shard.end(shard.ask("a"), .text("one"))
        shard.advance(by: .seconds(2))
        #expect(shard.ask("a") != nil)
    }

    @Test func aLeaseThatWasGivenUpEarlyEndsTheWindowEarly() {
        var shard = Self.suspect()
        var standing = NodeStanding.unheard
        standing.state = .suspect
        standing.vouchedUntil = shard.now.reversed(by: Self.window)
        shard.core.setStanding(standing)
        #expect(shard.ask("a") != nil)
    }

    @Test func aRenewedLeaseResetsTheSuspectWindow() {
        var shard = Self.late()
        shard.makeLive(for: .seconds(3))
        #expect(shard.get("a").status == .hit && shard.get("a").flags == [])
        shard.advance(by: .seconds(4))
        #expect(shard.get("a").flags == [.suspect, .tolerated])
        #expect(shard.takeLoads().isEmpty)
    }

    // MARK: Where applications fill the cache

    @Test func whereApplicationsFillTheCacheAClientLoadsAfterTheWindow() {
        var shard = ShardHarness()
        shard.makeLive(for: .seconds(3))
        var policy = NamespacePolicy()
        policy.suspect = .serveThenRevalidate
        policy.suspectWindow = .seconds(30)
        shard.core.configure([.default: policy], fallback: NamespacePolicy())
        #expect(shard.set("a", "one").status == .stored)
        shard.advance(by: .seconds(10))
        #expect(shard.get("a", .token).flags.contains(.tolerated))
        shard.advance(by: .seconds(30))
        #expect(shard.get("a").status == .miss)
        #expect(shard.get("a", .token).fields.token != nil)
    }

    // MARK: Others keep their meaning

    @Test(arguments: [NamespacePolicy.Suspect.serve, .refuse, .revalidate])
    func whatWasConfiguredKeepsItsMeaning(suspect: NamespacePolicy.Suspect) {
        var shard = Self.suspect { policy, _ in policy.suspect = suspect }
        switch suspect {
        case .serve: #expect(shard.get("a").flags == .suspect)
        case .refuse: #expect(shard.get("a").status == .behind)
        default: #expect(shard.ask("a") != nil)
        }
    }
}
