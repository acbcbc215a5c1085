import CacheAccess
import CacheModel
import Testing

@testable import GatewayCore

/// What a token may read, and nothing else, is told.
@Suite struct PushHubAccessTests {
    @Test func aReaderOfAPrefixSeesRecordsNarrowedToThatPrefix() throws {
        var bench = HubBench(at: 0)
        let part = try entry("read", "n/p:")
        let reader = try bench.subscribe([prefix("p:")], as: part)
        bench.receive(record(1, [Scope(try key("secret"))]))
        bench.receive(record(2, [Scope(try tag("secret"))]))
        bench.receive(record(3, [Scope(try key("p:1"))]))
        bench.receive(record(4, [Scope(try prefix("p"))]))
        #expect(bench.records(reader) == [at(2), at(3), at(4)])
        let beginning = Scope(try prefix("p:"))
        #expect(
            bench.messages(reader).dropFirst() == [
                .record(record(2), scopes: [beginning]),
                .record(record(3), scopes: [Scope(try key("p:1"))]),
                .record(record(4), scopes: [beginning]),
            ])
    }

    @Test func aReplayShowsNoMoreThanWhatIsLive() throws {
        var bench = HubBench(at: 0)
        let part = try entry("read", "n/p:")
        let live = try bench.subscribe(as: part)
        let scopes = try [key("secret"), key("p:1"), tag("secret"), key("q")].map { Scope($0) }
        for (place, scope) in scopes.enumerated() {
            bench.receive(record(UInt64(place + 1), [scope]))
        }
        bench.receive(record(5, scopes))
        let back = try bench.subscribe(after: 0, as: part)
        bench.settle()
        #expect(bench.records(back) == [at(2), at(3), at(5)])
        #expect(bench.messages(back).dropFirst() == bench.messages(live).dropFirst())
    }

    @Test func aSubscriptionBeyondTheTokenIsRefusedWithASentence() throws {
        let part = try entry("read", "n/p:")
        let cases: [(Interest, String)] = [
            (try key("q"), "your token may not read key q in n"),
            (try prefix("q"), "your token may not read prefix q in n"),
            (.namespace(.default), "your token may not read namespace default"),
            (
                try tag("t"),
                "your token may read a part of the namespace only, where a tag is not shown: "
                    + "subscribe to the prefix that it may read"
            ),
        ]
        for (interest, sentence) in cases {
            let refusal = #expect(throws: PushRefusal.self) {
                try PushSubscription([interest], after: nil, for: part)
            }
            #expect(refusal == PushRefusal(.unauthorised, sentence))
        }
        let writer = try entry("write", "*")
        let refusal = #expect(throws: PushRefusal.self) {
            try PushSubscription([.everything], after: nil, for: writer)
        }
        #expect(refusal?.code == .unauthorised)
    }

    @Test func nothingAndTooMuchAreRefused() throws {
        #expect(throws: PushRefusal.self) { try PushSubscription([], after: nil, for: nil) }
        let many = try (0...PushLimits.interestsMax).map { try key("\($0)") }
        #expect(throws: PushRefusal.self) { try PushSubscription(many, after: nil, for: nil) }
        _ = try PushSubscription(Array(many.dropLast()), after: nil, for: nil)
    }

    @Test func aRevokedSubscriptionEndsAsExpired() throws {
        var bench = HubBench(at: 2)
        let part = try entry("read", "n")
        let reader = try bench.subscribe([key("a")], as: part)
        let whole = try bench.subscribe()
        bench.revoke { $0 == part }
        #expect(bench.heard(reader) == ["hello 1:2", "end expired 1:2"])
        #expect(bench.heard(whole) == ["hello 1:2"])
        let reader2 = try bench.subscribe(as: entry("read", "*"))
        bench.revoke { $0.mayFollowLog }
        #expect(bench.heard(reader2) == ["hello 1:2", "end expired 1:2"])
        #expect(bench.heard(whole) == ["hello 1:2"])
    }

    /// A web token that only its time and its subject tell from others.
    private func token(_ number: Int, _ patterns: [String]) throws -> AccessEntry {
        try AccessEntry(
            called: "user-\(number)", entry("read", "n").key, roles: ["read"],
            patterns: patterns, until: 1_000 + number)
    }

    @Test func tokensThatMayReadTheSameShareAView() throws {
        var bench = HubBench(at: 0)
        var readers: [SubscriberID] = []
        for number in 0..<200 {
            let shape = number % 10
            let patterns = ["n/\(shape):", "n/x"]
            let order = number % 20 < 10 ? patterns : patterns.reversed() + ["n/x"]
            readers.append(
                try bench.subscribe(
                    [prefix("\(shape):")], as: token(number, order)))
        }
        #expect(bench.hub.views.count == 11, "those of the ten shapes, and that of all")
        bench.receive(record(1, [Scope(try key("3:a"))]))
        for (number, reader) in readers.enumerated() {
            #expect(bench.records(reader) == (number % 10 == 3 ? [at(1)] : []))
        }
    }

    @Test func aRecordIsComparedOnlyWithTheViewsThatItConcerns() throws {
        var views = ViewTable()
        let many = try (0..<100).map { try token($0, ["n/\($0):"]) }
        let places = many.map { views.insert([.namespace(.default)], 1, for: $0) }
        let wide = views.insert([.everything], 2, for: try token(100, ["n*"]))
        let other = views.insert([.everything], 3, for: try token(101, ["m"]))
        #expect(views.seeing([Scope(try key("7:a"))]) == [places[7], wide])
        #expect(views.seeing([Scope(try prefix("7"))]).count == 12, "7:, 70: to 79:, and n*")
        #expect(views.seeing([Scope(try tag("t"))]) == (places + [wide]).sorted())
        #expect(views.seeing([Scope(.everything)]) == (places + [wide, other]).sorted())
        #expect(views.seeing([Scope(try key("7:a")), Scope(try key("9:a"))]).count == 3)
        let whole = views.insert([.everything], 4, for: nil)
        #expect(views.seeing([Scope(try key("q"))]) == [whole, wide])
    }

    /// Its reader may read nothing, and hears of what is about everything as anybody does.
    @Test func aViewOfNoPatternIsFoundByWhatIsAboutEverything() throws {
        var bench = HubBench(at: 0)
        let reader = try bench.subscribe(as: token(1, []))
        bench.receive(record(1, [Scope(try key("a"))]))
        bench.receive(record(2, [Scope(.everything)]))
        #expect(bench.records(reader) == [at(2)])
    }

    @Test func anUnusedViewSlotIsReused() throws {
        var views = ViewTable()
        let first = views.insert([.everything], 1, for: try token(1, ["n/a"]))
        _ = views.insert([.everything], 2, for: try token(2, ["n/a"]))
        views.remove([.everything], 1, from: first)
        #expect(views.seeing([Scope(try key("a"))]) == [first])
        views.remove([.everything], 2, from: first)
        #expect(views.seeing([Scope(try key("a"))]).isEmpty)
        let second = views.insert([.everything], 1, for: try token(3, ["n/b"]))
        #expect(second == first && views.count == 2)
        #expect(views.seeing([Scope(try key("a"))]).isEmpty)
        #expect(views.seeing([Scope(try key("b"))]) == [second])
    }

    @Test func aReaderOfEverythingSharesTheUnrestrictedView() throws {
        var bench = HubBench(at: 0)
        _ = try bench.subscribe()
        _ = try bench.subscribe(as: entry("read", "*"))
        bench.receive(record(1, [Scope(try key("a"))]))
        #expect(bench.sends.last?.count == 2)
        #expect(bench.hub.views.count == 1)
    }
}
