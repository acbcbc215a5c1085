import CacheInvalidation
import CacheModel
import CacheSimulation
import CacheWire
import SharedLogCore
import Testing

/// One publisher's thread at the store: it claims, follows, leads and writes.
@Suite struct SharedLogKeeperTests {
    /// A publisher on a store. Requests of the purposes in `cut` get no answer and are executed
    /// only if `executesCut`.
    struct Bench {
        var store = SimulatedStore()
        var keeper: SharedLogKeeper
        var now = Instant.milliseconds(0)
        var cut: Set<SharedLogKeeper.Purpose> = []
        var executesCut = false
        var news: [SharedLogKeeper.News] = []
        var kept: [FurthestMark] = []
        var compacted: [UInt64] = []

        init(_ name: String = "p1", of members: [String] = ["p1", "p2"]) {
            keeper = SharedLogKeeper(
                keys,
                (
                    .init(publisher: name, control: "c-\(name)", live: "l-\(name)"),
                    PrefixOwner(members: members.map { ($0, "c-\($0)") })
                ),
                FollowedLog.Bounds(freshID: logID, recordsMax: 1_000, bytesMax: 1 << 20),
                (furthest: .none, seed: 7), now: now)
        }

        mutating func take(_ actions: [SharedLogKeeper.Action]) {
            for action in actions {
                switch action {
                case .send(let purpose, let request):
                    if case .compact(let revision) = request { compacted.append(revision) }
                    var outcome = StoreOutcome.failure(.unknown("timed out"))
                    if !cut.contains(purpose) || executesCut {
                        let answer = store.execute(request)
                        if !cut.contains(purpose) { outcome = answer }
                    }
                    take(keeper.finished(purpose, outcome, now: now))
                case .tell(let one): news.append(one)
                case .keep(let mark): kept.append(mark)
                }
            }
        }

        mutating func send(_ letter: SharedLogKeeper.Letter) {
            take(keeper.take(letter, now: now))
        }

        mutating func pass(_ milliseconds: Int) {
            for _ in 0..<milliseconds / 10 {
                now = now.advanced(by: .milliseconds(10))
                take(keeper.tick(now: now))
            }
        }

        /// The term that was begun last.
        var term: SharedTerm? {
            news.compactMap { if case .lead(let term) = $0 { term } else { nil } }.last
        }

        /// The purpose of the writes of the present term.
        var writes: SharedLogKeeper.Purpose {
            get throws { .write(of: try #require(keeper.leadership.term?.term)) }
        }

        var refusal: String? {
            news.compactMap { if case .refused(let why) = $0 { why } else { nil } }.last
        }

        var hasResigned: Bool {
            news.contains { if case .resigned = $0 { true } else { false } }
        }

        var outcomes: [LogOutcome] {
            news.compactMap {
                if case .written(.appended(let outcome)) = $0 { outcome } else { nil }
            }
        }

        /// Leads, with a log that has begun.
        static func leading() throws -> Self {
            var bench = Self()
            bench.pass(3_000)
            let term = try #require(bench.term)
            bench.send(.write(.begin(logID, .start()), of: term.leader.term))
            return bench
        }

        mutating func append(_ ticket: UInt64, _ batch: [SealedRecord], after mark: LogMark) {
            guard let term = term?.leader.term else { return }
            send(.write(.append(LogTicket(ticket), batch, after: mark), of: term))
        }
    }

    @Test func aPublisherLeadsAnEmptyStoreAndWritesItsLog() throws {
        var bench = try Bench.leading()
        let batch = try records(3, after: .start())
        bench.append(1, batch, after: .start())
        #expect(bench.outcomes == [LogOutcome(ticket: LogTicket(1))])
        let head = HeadValue(
            log: logID, mark: try #require(batch.last?.mark), tail: SequenceNumber(1))
        #expect(bench.store.pairs[keys.head]?.bytes == head.bytes)
    }

    @Test func aStoreThatDoesNotAnswerIsReportedOnceAndSoIsItsAnswer() {
        var bench = Bench()
        bench.cut = [.claim]
        bench.pass(5_000)
        func reports(_ bench: Bench) -> [Leadership.Report] {
            bench.news.compactMap { if case .report(let report) = $0 { report } else { nil } }
        }
        #expect(reports(bench) == [.unreachable("timed out")])
        bench.cut = []
        bench.pass(1_500)
        #expect(reports(bench).prefix(2) == [.unreachable("timed out"), .reachable])
    }

    @Test func aPrefixOfAnotherClusterIsRefusedAndNotWritten() throws {
        var other = Bench("x1", of: ["x1", "x2"])
        other.pass(3_000)
        var bench = Bench()
        bench.store = other.store
        let before = bench.store.pairs
        bench.pass(5_000)
        #expect(try #require(bench.refusal).contains("x1@c-x1, x2@c-x2"))
        #expect(bench.store.pairs == before)
        #expect(bench.keeper.nextDue == nil)
    }

    @Test func anOwnerThatNoPublisherWroteIsRefused() {
        var bench = Bench()
        bench.store.put(keys.owner, "something else")
        bench.pass(100)
        #expect(bench.refusal != nil)
    }

    @Test func aPublisherThatIsAmongTheOwnersWritesItsOwnList() throws {
        var earlier = Bench("p2", of: ["p1", "p2"])
        earlier.pass(100)
        var bench = Bench("p2", of: ["p2", "p3"])
        bench.store = earlier.store
        bench.pass(100)
        #expect(bench.refusal == nil)
        #expect(bench.store.text(keys.owner) == "1 publishers=p2@c-p2;p3@c-p3")
    }

    @Test func whatATermOrderedIsNotWrittenInTheNext() throws {
        var bench = try Bench.leading()
        let term = try #require(bench.term?.leader.term)
        bench.store.endLeases()
        bench.pass(5_000)
        #expect(try #require(bench.term?.leader.term) != term)
        let batch = try records(1, after: .start())
        bench.send(.write(.append(LogTicket(9), batch, after: .start()), of: term))
        bench.send(.confirm(5, of: term))
        #expect(bench.outcomes.isEmpty)
        let confirmations = bench.news.filter {
            if case .confirmed = $0 { true } else { false }
        }
        #expect(confirmations.isEmpty)
    }

    @Test func aTermEndsAfterWhatItOrderedIsWritten() throws {
        var bench = try Bench.leading()
        bench.cut = [try bench.writes]
        bench.append(1, try records(1, after: .start()), after: .start())
        bench.send(.resign(isStopping: true))
        #expect(!bench.hasResigned)
        bench.cut = []
        bench.pass(200)
        #expect(bench.outcomes == [LogOutcome(ticket: LogTicket(1))])
        #expect(bench.hasResigned)
        #expect(bench.store.pairs[keys.leader] == nil)
    }

    @Test func aWriteWithoutAnOutcomeDelaysTheEndOfATermForABoundedTime() throws {
        var bench = try Bench.leading()
        bench.cut = [try bench.writes]
        bench.append(1, try records(1, after: .start()), after: .start())
        bench.send(.resign(isStopping: true))
        bench.pass(900)
        #expect(!bench.hasResigned)
        bench.pass(200)
        #expect(bench.hasResigned)
        #expect(bench.outcomes.isEmpty, "it is fenced, and nothing is claimed of it")
        #expect(bench.store.pairs[keys.leader] == nil)
    }

    @Test func aPublisherThatOnlyFollowsEndsAtOnce() throws {
        var leader = try Bench.leading()
        var bench = Bench("p2")
        bench.store = leader.store
        bench.pass(300)
        bench.send(.resign(isStopping: true))
        #expect(bench.hasResigned)
        leader.pass(10)
        #expect(bench.store.pairs[keys.leader] == leader.store.pairs[keys.leader])
    }

    @Test func anAppendWithoutAnAnswerThatWasExecutedIsDone() throws {
        var bench = try Bench.leading()
        (bench.cut, bench.executesCut) = ([try bench.writes], true)
        bench.append(1, try records(2, after: .start()), after: .start())
        #expect(bench.outcomes.isEmpty)
        bench.cut = []
        bench.pass(100)
        #expect(bench.outcomes == [LogOutcome(ticket: LogTicket(1))])
    }

    /// The simulation found it: a record was sent that was in no log.
    @Test func anOutcomeOfAnEarlierTermSaysNothingOfThePresentWrite() throws {
        var bench = try Bench.leading()
        let earlier = try bench.writes
        bench.send(.resign(isStopping: false))
        bench.pass(5_000)
        let term = try #require(bench.keeper.leadership.term?.term)
        let order = SharedLogWriter.Order.append(
            LogTicket(1), try records(1, after: .start()), after: .start())
        #expect(bench.keeper.take(.write(order, of: term), now: bench.now).count == 1)
        let answer = StoreAnswer(.transaction(isExecuted: true, pairs: []), revision: 9)
        for purpose in [earlier, try bench.writes] {
            #expect(bench.outcomes.isEmpty)
            bench.take(bench.keeper.finished(purpose, .success(answer), now: bench.now))
        }
        #expect(bench.outcomes.count == 1)
    }

    @Test func onlyRevisionsOlderThanASpacingAreCompacted() throws {
        var bench = try Bench.leading()
        let first = bench.store.revision
        bench.pass(10_000)
        #expect(bench.compacted.isEmpty, "nothing is older than a spacing yet")
        bench.append(1, try records(1, after: .start()), after: .start())
        bench.pass(10_000)
        #expect(bench.compacted == [first])
        bench.pass(60_000)
        #expect(bench.compacted.count == 2, "and not again while nothing is written")
    }

    @Test func compactionGoesOnAfterARestoreToEarlierRevisions() throws {
        var bench = try Bench.leading()
        let older = bench.store
        var mark = LogMark.start()
        for number in 1...100 {
            let batch = try records(1, after: mark, named: "k\(number)")
            bench.append(UInt64(number), batch, after: mark)
            mark = try #require(batch.last?.mark)
        }
        bench.pass(30_000)
        let last = try #require(bench.compacted.last)
        bench.store = older
        bench.store.endLeases()
        bench.pass(3_000)
        let term = try #require(bench.term)
        bench.send(.write(.begin(logID, .start(9)), of: term.leader.term))
        bench.compacted = []
        bench.pass(30_000)
        let next = try #require(bench.compacted.first)
        #expect(next < last && next <= bench.store.revision)
    }

    @Test func theFurthestMarkIsKeptAtMostOnceASecond() throws {
        var bench = try Bench.leading()
        let before = bench.kept.count
        var mark = LogMark.start()
        for number in 1...10 {
            let batch = try records(1, after: mark, named: "k\(number)")
            bench.append(UInt64(number), batch, after: mark)
            mark = try #require(batch.last?.mark)
            bench.pass(100)
        }
        bench.pass(1_000)
        #expect((1...3).contains(bench.kept.count - before))
        #expect(bench.kept.last?.mark == mark)
    }
}
