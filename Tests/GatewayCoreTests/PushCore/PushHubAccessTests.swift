import CacheAccess
import CacheModel
import Testing

@testable import PushCore

/// What a token may read, and nothing else, is told.
@Suite struct PushHubAccessTests {
    @Test func whoReadsAPartHearsItInWordsThatNameNothingElse() throws {
        var bench = HubBench(at: 0)
        let part = try entry("read", "n/p:")
        let reader = try bench.subscribe([Interest(prefix("p:"))], as: part)
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
            (Interest(try key("q")), "your token may not read key q in n"),
            (Interest(try prefix("q")), "your token may not read prefix q in n"),
            (.namespace(.default), "your token may not read namespace default"),
            (
                Interest(try tag("t")),
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
        let many = try (0...PushLimits.interestsMax).map { Interest(try key("\($0)")) }
        #expect(throws: PushRefusal.self) { try PushSubscription(many, after: nil, for: nil) }
        _ = try PushSubscription(Array(many.dropLast()), after: nil, for: nil)
    }

    @Test func whoLosesItsRightsIsSentAway() throws {
        var bench = HubBench(at: 2)
        let part = try entry("read", "n")
        let reader = try bench.subscribe([Interest(key("a"))], as: part)
        let whole = try bench.subscribe()
        bench.revoke { $0 == part }
        #expect(bench.heard(reader) == ["hello 1:2", "end expired 1:2"])
        #expect(bench.heard(whole) == ["hello 1:2"])
        let reader2 = try bench.subscribe(as: entry("read", "*"))
        bench.revoke { $0.mayFollowLog }
        #expect(bench.heard(reader2) == ["hello 1:2", "end expired 1:2"])
        #expect(bench.heard(whole) == ["hello 1:2"])
    }

    @Test func whoReadsEverythingIsOneWithThoseWithoutAList() throws {
        var bench = HubBench(at: 0)
        _ = try bench.subscribe()
        _ = try bench.subscribe(as: entry("read", "*"))
        bench.receive(record(1, [Scope(try key("a"))]))
        #expect(bench.sends.last?.count == 2)
        #expect(bench.hub.views.count == 1)
    }
}
