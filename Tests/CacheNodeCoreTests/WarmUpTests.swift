import CacheLoading
import CacheModel
import CacheNodeCore
import Testing

/// A node that has just started asks a replica what is hot, and has it loaded.
@Suite struct WarmUpTests {
    /// What is told and what comes of it, in words.
    struct Story {
        private var warmUp: WarmUp
        private var now = Instant(nanoseconds: 1_000_000_000_000)
        private var actions: [WarmUp.Action] = []

        init(_ change: (inout WarmUpSettings) -> Void = { _ in }) {
            var settings = WarmUpSettings()
            settings.source = .peers
            settings.keysMax = 4
            settings.perSecond = 1_000
            change(&settings)
            warmUp = WarmUp(settings)
        }

        var progress: WarmUp.Progress { warmUp.progress }

        mutating func begin(
            _ peers: [(String, Int)], _ namespaces: [String] = ["default"]
        ) -> [String] {
            warmUp.begin(
                peers.compactMap { name, shards in
                    NodeID(name).map { WarmUp.Peer(node: $0, shardCount: shards) }
                }, namespaces.compactMap { Namespace($0) }, now: now, into: &actions)
            return take()
        }

        /// `"a 9"` is a key and its heat.
        mutating func page(_ number: UInt64, _ keys: String..., next: UInt64 = 0) -> [String] {
            let hot = keys.compactMap { text -> WarmUp.HotKey? in
                let parts = text.split(separator: " ")
                guard let key = CacheKey(String(parts[0])), let heat = UInt16(parts[1]) else {
                    return nil
                }
                return WarmUp.HotKey(key: key, heat: heat)
            }
            warmUp.answered(
                number, WarmUp.Page(keys: hot, nextCursor: next), now: now, into: &actions)
            return take()
        }

        mutating func silence(_ number: UInt64) -> [String] {
            warmUp.unanswered(number, now: now, into: &actions)
            return take()
        }

        mutating func end(_ number: UInt64, _ ending: WarmUp.Ending = .done) -> [String] {
            warmUp.ended(number, ending, now: now, into: &actions)
            return take()
        }

        mutating func pass(_ milliseconds: Int64) -> [String] {
            now = now.advanced(by: .milliseconds(milliseconds))
            warmUp.timeIsUp(now: now, into: &actions)
            return take()
        }

        mutating func stop() -> [String] {
            warmUp.stop(into: &actions)
            return take()
        }

        /// Until when nothing happens by itself, in milliseconds from now.
        var due: UInt64? { warmUp.nextDeadline.map { $0.elapsed(since: now).wholeMilliseconds } }

        private mutating func take() -> [String] {
            defer { actions = [] }
            return actions.map { action in
                switch action {
                case .ask(let question):
                    "ask \(question.number) \(question.peer):\(question.shard) "
                        + "\(question.namespace.name) from \(question.cursor)"
                case .load(let order): "load \(order.number) \(order.key)"
                case .over(let progress):
                    "\(progress.phase): \(progress.doneCount) of \(progress.keyCount), "
                        + "\(progress.failedCount) failed"
                }
            }
        }
    }

    @Test func theHottestOfAPeerAreLoadedFirst() {
        var story = Story()
        #expect(story.begin([("n2", 2)]) == ["ask 1 n2:0 default from 0"])
        #expect(story.page(1, "a 9", "b 3", next: 77) == ["ask 2 n2:0 default from 77"])
        #expect(story.page(2, "c 5") == ["ask 3 n2:1 default from 0"])
        #expect(story.page(3, "d 7", "e 1") == ["load 4 a"])
        #expect(story.pass(1) == ["load 5 d"])
        #expect(story.pass(1) == ["load 6 c"])
        #expect(story.pass(1) == ["load 7 b"], "e is one too many")
        #expect(story.end(4) + story.end(5) + story.end(6, .failed) == [])
        #expect(story.end(7) == ["done: 3 of 4, 1 failed"])
        #expect(story.progress.peer?.name == "n2" && story.due == nil)
    }

    @Test func everyNamespaceIsAskedFor() {
        var story = Story()
        #expect(story.begin([("n2", 1)], ["a", "b"]) == ["ask 1 n2:0 a from 0"])
        #expect(story.page(1, "k 1") == ["ask 2 n2:0 b from 0"])
        #expect(story.page(2, "k 2") == ["load 3 k"])
        #expect(story.pass(1) == ["load 4 k"], "one key in two namespaces is two")
    }

    @Test func unlessItIsAskedForNothingHappens() {
        var off = Story { $0.source = .off }
        #expect(off.begin([("n2", 1)]) == ["done: 0 of 0, 0 failed"])
        var without = Story()
        #expect(without.begin([("n2", 1)], []) == ["done: 0 of 0, 0 failed"])
        var alone = Story()
        #expect(alone.begin([]) == ["done: 0 of 0, 0 failed"])
    }

    @Test func itBeginsOnce() {
        var story = Story()
        #expect(story.begin([("n2", 1)]).count == 1)
        #expect(story.begin([("n3", 1)]) == [])
    }

    // MARK: Peers

    @Test func whoDoesNotAnswerInTimeIsReplacedByTheNext() {
        var story = Story()
        #expect(story.begin([("n2", 2), ("n3", 1)]) == ["ask 1 n2:0 default from 0"])
        #expect(story.page(1, "a 9") == ["ask 2 n2:1 default from 0"])
        #expect(story.due == 2_000)
        #expect(story.pass(1_999) == [])
        #expect(story.pass(1) == ["ask 3 n3:0 default from 0"])
        #expect(story.page(2, "late 9") == [], "it is asked no more")
        #expect(story.page(3, "a 2", "b 4") == ["load 4 a"], "what was heard before counts")
        #expect(story.pass(1) == ["load 5 b"], "and a key of two peers is one")
        #expect(story.end(4) + story.end(5) == ["done: 2 of 2, 0 failed"])
    }

    @Test func whoRefusesIsReplacedAtOnce() {
        var story = Story()
        _ = story.begin([("n2", 1), ("n3", 1)])
        #expect(story.silence(1) == ["ask 2 n3:0 default from 0"])
        #expect(story.silence(1) == [])
        #expect(story.silence(2) == ["done: 0 of 0, 0 failed"])
    }

    @Test func aColdPeerIsNoHelp() {
        var story = Story()
        _ = story.begin([("n2", 1), ("n3", 1)])
        #expect(story.page(1) == ["ask 2 n3:0 default from 0"])
        #expect(story.page(2, "a 1") == ["load 3 a"])
    }

    @Test func aPeerWithoutEndIsAskedForAPartOfIt() {
        var story = Story()
        var said = story.begin([("n2", 1)])
        var count: UInt64 = 0
        while said.first?.hasPrefix("ask") == true {
            count += 1
            said = story.page(count, "k\(count) \(count)", next: count)
        }
        #expect(count == UInt64(WarmUpLimits.pagesPerPlaceMax))
        #expect(said == ["load \(count + 1) k\(count)"])
    }

    // MARK: Pace

    @Test func aRateIsKept() {
        var story = Story { $0.perSecond = 10 }
        _ = story.begin([("n2", 1)])
        #expect(story.page(1, "a 3", "b 2") == ["load 2 a"])
        #expect(story.end(2) == [] && story.due == 100)
        #expect(story.pass(99) == [])
        #expect(story.pass(1) == ["load 3 b"])
    }

    @Test func noMoreAreUnderWayThanMay() {
        var story = Story { settings in
            settings.keysMax = 1_000
            settings.perSecond = 1_000_000
        }
        _ = story.begin([("n2", 1)])
        for number in 1...10 {
            _ = story.page(
                UInt64(number), "a\(number) 1", "b\(number) 1", "c\(number) 1", "d\(number) 1",
                next: number == 10 ? 0 : 5)
        }
        var loads = 1
        for _ in 0..<100 { loads += story.pass(1).count }
        #expect(loads == WarmUpLimits.inFlightMax && story.due == nil)
    }

    @Test func whatIsPushedBackIsTriedAgainAndNotForEver() {
        var story = Story()
        _ = story.begin([("n2", 1)])
        #expect(story.page(1, "a 3") == ["load 2 a"])
        let back = WarmUp.Ending.pushedBack(retryAfter: .milliseconds(700))
        #expect(story.end(2, back) == [] && story.due == 700)
        #expect(story.pass(700) == ["load 3 a"])
        #expect(story.end(3, back) == [])
        #expect(story.pass(700) == ["load 4 a"])
        #expect(story.end(4, back) == ["done: 0 of 1, 1 failed"])
    }

    // MARK: Leaving

    @Test func whoLeavesAsksForNothingMore() {
        var asking = Story()
        _ = asking.begin([("n2", 1)])
        #expect(asking.stop() == ["stopped: 0 of 0, 0 failed"])
        #expect(asking.page(1, "a 1") == [] && asking.stop() == [] && asking.due == nil)

        var loading = Story()
        _ = loading.begin([("n2", 1)])
        #expect(loading.page(1, "a 2", "b 1") == ["load 2 a"])
        #expect(loading.stop() == ["stopped: 0 of 2, 0 failed"])
        #expect(loading.end(2) == [] && loading.pass(10_000) == [])
        #expect(loading.progress.phase == .stopped)
    }

    @Test func whoLeavesBeforeItBeganDoesNotBegin() {
        var story = Story()
        #expect(story.stop() == ["stopped: 0 of 0, 0 failed"])
        #expect(story.begin([("n2", 1)]) == [])
    }
}
