import CacheInvalidation
import CacheModel
import CacheSimulation
import CacheWire
import SharedLogCore
import Testing

/// Publishers that campaign, lead and follow, on one store, with the time in the test's hand.
@Suite struct LeadershipTests {
    /// Several publishers. Every request is answered at once, unless the test cuts it.
    struct Publishers {
        var store = SimulatedStore()
        var all: [Leadership] = []
        var now = Instant.milliseconds(0)
        /// The requests of these get no answer and are not executed.
        var cut: Set<Int> = []
        /// What happened, by publisher, without the requests.
        var happened: [[Leadership.Action]]

        init(_ count: Int) {
            happened = Array(repeating: [], count: count)
            for number in 1...count { all.append(Self.publisher(number, now: now)) }
        }

        static func publisher(
            _ number: Int, furthest: FurthestMark = .none, now: Instant
        ) -> Leadership {
            Leadership(
                keys,
                as: .init(publisher: "p\(number)", control: "c\(number)", live: "l\(number)"),
                log: FollowedLog(
                    keys,
                    FollowedLog.Bounds(freshID: logID, recordsMax: 1_000, bytesMax: 1 << 20)),
                (furthest: furthest, seed: UInt64(number)), now: now)
        }

        mutating func take(_ actions: [Leadership.Action], of index: Int) {
            for action in actions {
                guard case .send(let purpose, let request) = action else {
                    happened[index].append(action)
                    continue
                }
                let outcome: StoreOutcome =
                    cut.contains(index)
                    ? .failure(.unknown("timed out")) : store.execute(request)
                take(all[index].finished(purpose, outcome, now: now), of: index)
            }
        }

        /// Lets time pass in steps of 10 ms.
        mutating func pass(_ milliseconds: Int) {
            for _ in 0..<milliseconds / 10 {
                now = now.advanced(by: .milliseconds(10))
                for index in all.indices { take(all[index].tick(now: now), of: index) }
            }
        }

        var leaders: [Int] { all.indices.filter { all[$0].leads(at: now) } }

        /// Appends a record by the leading term, as its writer would.
        mutating func append(_ count: Int, named name: String = "k", of index: Int) throws {
            let leader = try #require(all[index].term)
            let head =
                store.pairs[keys.head].flatMap { HeadValue($0.bytes) }
                ?? HeadValue(log: logID, mark: .start(), tail: SequenceNumber(1))
            if store.pairs[keys.head] == nil {
                store.put(keys.head, String(decoding: head.bytes, as: UTF8.self))
            }
            var writer = SharedLogWriter(
                keys, leader: leader, head: head, batches: [], bytesMax: 1 << 20)
            let batch = try records(count, after: head.mark, named: name)
            writer.order(.append(LogTicket(1), batch, after: head.mark))
            let next = writer.next(now: now)
            let news = writer.finished(store.execute(try #require(next)), now: now)
            #expect(news == [.appended(LogOutcome(ticket: LogTicket(1)))])
            all[index].wrote(
                HeadValue(log: logID, mark: try #require(batch.last?.mark), tail: head.tail),
                at: store.revision)
        }
    }

    @Test func oneOfThreeLeadsAnEmptyStoreAndTheOthersKnowIt() {
        var publishers = Publishers(3)
        publishers.pass(300)
        #expect(publishers.leaders.count == 1)
        let leader = publishers.all[publishers.leaders[0]].term
        #expect(publishers.all.allSatisfy { $0.leader == leader })
        publishers.pass(10_000)
        #expect(publishers.all[publishers.leaders[0]].term == leader)
    }

    @Test func aStandbyLeadsWithAllRecordsAfterTheLeaderIsGone() throws {
        var publishers = Publishers(2)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        let other = 1 - first
        try publishers.append(3, of: first)
        publishers.pass(200)
        #expect(publishers.all[other].log.window.head.position.sequence == SequenceNumber(3))
        try publishers.append(2, named: "late", of: first)
        publishers.cut = [first]
        publishers.store.endLeases()
        publishers.pass(200)
        #expect(publishers.leaders.contains(other))
        #expect(publishers.all[other].log.window.head.position.sequence == SequenceNumber(5))
        let succession = try #require(publishers.happened[other].compactMap(\.succession).first)
        #expect(succession.lost == [])
        #expect(succession.leader == publishers.all[other].leader)
    }

    @Test func aLeaderIsSilentByItsOwnClockBeforeItsLeaseIsOver() {
        var publishers = Publishers(1)
        publishers.pass(300)
        #expect(publishers.leaders == [0])
        publishers.cut = [0]
        publishers.pass(1_200)
        #expect(publishers.leaders == [0])
        publishers.pass(600)
        #expect(publishers.leaders == [])
        // Nothing is lost: its key is still there when the store answers again.
        publishers.cut = []
        publishers.pass(1_100)
        #expect(publishers.leaders == [0])
        #expect(publishers.happened[0].allSatisfy { !$0.isEnd })
    }

    @Test func aKeepAliveThatFindsNoLeaseEndsTheTerm() {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.store.endLeases()
        publishers.pass(520)
        #expect(publishers.happened[0].contains(.end(.superseded(by: nil))))
        publishers.pass(500)
        #expect(publishers.leaders == [0])
    }

    @Test func everyStandbyReportsTheLeaderAlsoIfItCampaigned() throws {
        var publishers = Publishers(3)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        publishers.cut = [first]
        publishers.store.endLeases()
        publishers.happened = [[], [], []]
        publishers.pass(300)
        let leader = try #require(publishers.leaders.first { $0 != first })
        let standby = 3 - first - leader
        let reports = publishers.happened[standby].filter(\.isReport)
        #expect(reports.last == .report(.leaderChanged(publishers.all[leader].term)))
    }

    @Test func aCampaignThatIsLostNamesTheWinner() throws {
        var publishers = Publishers(1)
        var actions = publishers.all[0].tick(now: publishers.now)
        // The empty store, then the lease: another publisher wins meanwhile.
        for _ in 0..<2 {
            let (purpose, request) = try #require(actions.compactMap(\.request).first)
            actions = publishers.all[0].finished(
                purpose, publishers.store.execute(request), now: publishers.now)
        }
        let winner = leaderValue(9)
        publishers.store.put(keys.leader, String(decoding: winner.bytes, as: UTF8.self))
        publishers.take(actions, of: 0)
        #expect(publishers.happened[0].filter(\.isReport) == [.report(.leaderChanged(winner))])
    }

    @Test func aTermThatIsLostBeforeItBeginsNamesTheLeader() throws {
        var publishers = Publishers(1)
        var actions = publishers.all[0].tick(now: publishers.now)
        // The empty store, the lease, the campaign; then the state is read.
        for _ in 0..<3 {
            let (purpose, request) = try #require(actions.compactMap(\.request).first)
            actions = publishers.all[0].finished(
                purpose, publishers.store.execute(request), now: publishers.now)
        }
        #expect(actions.compactMap(\.purpose).contains(.readState))
        let winner = leaderValue(9)
        publishers.store.put(keys.leader, String(decoding: winner.bytes, as: UTF8.self))
        publishers.take(actions, of: 0)
        #expect(publishers.happened[0] == [.report(.leaderChanged(winner))])
    }

    // MARK: Confirmations

    @Test func aConfirmationShowsALeaderWhoseKeepAlivesAreConfirmedFalselyThatItIsDeposed()
        throws
    {
        var publishers = Publishers(2)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        let other = 1 - first
        publishers.store.confirmsFalsely = true
        publishers.store.endLeases()
        publishers.pass(1_000)
        #expect(publishers.leaders.sorted() == [0, 1])
        let asked = publishers.all[first].confirm(1, now: publishers.now)
        publishers.take(asked, of: first)
        #expect(publishers.happened[first].compactMap(\.confirmation) == [])
        #expect(
            publishers.happened[first].last
                == .end(.superseded(by: publishers.all[other].term)))
        #expect(publishers.leaders == [other])
    }

    @Test func aConfirmationThatWasSentBeforeARequestDoesNotServeIt() throws {
        var publishers = Publishers(1)
        publishers.pass(300)
        let first = publishers.all[0].confirm(1, now: publishers.now)
        let second = publishers.all[0].confirm(2, now: publishers.now)
        #expect(first.count == 1 && second.isEmpty)
        publishers.take(first, of: 0)
        // The answer to the first serves it alone, and the second is sent behind it.
        #expect(publishers.happened[0].compactMap(\.confirmation) == [1, 2])
    }

    @Test func aConfirmationWithoutAnAnswerIsRepeated() {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.cut = [0]
        publishers.take(publishers.all[0].confirm(1, now: publishers.now), of: 0)
        publishers.pass(200)
        #expect(publishers.happened[0].compactMap(\.confirmation) == [])
        publishers.cut = []
        publishers.pass(1_000)
        #expect(publishers.happened[0].compactMap(\.confirmation) == [1])
    }

    // MARK: Late answers

    @Test func anAnswerForATermThatIsOverSaysNothingOfTheNextOne() throws {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.now = publishers.now.advanced(by: .milliseconds(500))
        let actions = publishers.all[0].tick(now: publishers.now)
        #expect(actions.count == 1 && actions[0].purpose == .keepAlive)
        // The term ends, and another one begins.
        publishers.store.endLeases()
        publishers.take(publishers.all[0].lose(to: nil, now: publishers.now), of: 0)
        publishers.pass(200)
        let term = publishers.all[0].term
        #expect(publishers.leaders == [0])
        let late = StoreAnswer(.keptAlive(isKnown: false), revision: 9)
        publishers.take(
            publishers.all[0].finished(.keepAlive, .success(late), now: publishers.now), of: 0)
        #expect(publishers.leaders == [0])
        #expect(publishers.all[0].term == term)
    }

    @Test func aCampaignWithoutAnAnswerThatWasExecutedIsWon() throws {
        var publishers = Publishers(1)
        var actions = publishers.all[0].tick(now: publishers.now)
        // The empty store, the lease, the campaign.
        for _ in 0..<2 {
            let (purpose, request) = try #require(actions.compactMap(\.request).first)
            actions = publishers.all[0].finished(
                purpose, publishers.store.execute(request), now: publishers.now)
        }
        let (purpose, request) = try #require(actions.compactMap(\.request).first)
        #expect(purpose == .campaign)
        _ = publishers.store.execute(request)
        let unknown = StoreOutcome.failure(.unknown("timed out"))
        publishers.take(
            publishers.all[0].finished(purpose, unknown, now: publishers.now), of: 0)
        publishers.pass(300)
        #expect(publishers.leaders == [0])
        #expect(publishers.happened[0].compactMap(\.succession).count == 1)
    }

    // MARK: Resigning

    @Test func aLeaderThatResignsLeavesTheNextTermToOthers() throws {
        var publishers = Publishers(2)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        let resignation = publishers.all[first].resign(isStopping: false, now: publishers.now)
        publishers.take(resignation, of: first)
        #expect(publishers.happened[first].contains(.resigned))
        publishers.pass(200)
        #expect(publishers.leaders == [1 - first])
    }

    @Test func theOnlyPublisherLeadsAgainAfterItResigned() {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.take(
            publishers.all[0].resign(isStopping: false, now: publishers.now), of: 0)
        publishers.pass(1_500)
        #expect(publishers.leaders == [])
        publishers.pass(1_000)
        #expect(publishers.leaders == [0])
    }

    @Test func aPublisherThatStopsDoesNotCampaignAgain() {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.take(publishers.all[0].resign(isStopping: true, now: publishers.now), of: 0)
        publishers.pass(10_000)
        #expect(publishers.leaders == [])
        #expect(publishers.store.pairs[keys.leader] == nil)
    }

    // MARK: A store that was set back

    @Test func aPublisherThatHasSeenMoreBeginsWithANewEpoch() throws {
        var publishers = Publishers(1)
        publishers.pass(300)
        try publishers.append(3, of: 0)
        let older = publishers.store
        try publishers.append(2, named: "lost", of: 0)
        let furthest = publishers.all[0].furthest
        #expect(furthest.mark.position.sequence == SequenceNumber(5))
        #expect(FurthestMark(furthest.bytes) == furthest)
        publishers.store = older
        publishers.store.endLeases()
        publishers.all[0] = Publishers.publisher(2, furthest: furthest, now: publishers.now)
        publishers.happened = [[]]
        publishers.pass(300)
        #expect(publishers.happened[0].compactMap(\.succession).map(\.lost) == [[furthest]])
    }

    @Test func aLeaderThatHasSeenLessHearsOfItFromAStandby() throws {
        var publishers = Publishers(2)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        let other = 1 - first
        try publishers.append(3, of: first)
        let older = publishers.store
        try publishers.append(2, named: "lost", of: first)
        publishers.pass(200)
        #expect(publishers.all[other].log.window.head.position.sequence == SequenceNumber(5))
        // Restored, and the leader's disk is a new one.
        publishers.store = older
        publishers.store.endLeases()
        publishers.cut = [other]
        publishers.all[first] = Publishers.publisher(7, now: publishers.now)
        publishers.pass(300)
        #expect(publishers.leaders.contains(first))
        publishers.cut = []
        publishers.pass(1_500)
        publishers.take(publishers.all[first].confirm(1, now: publishers.now), of: first)
        let seen = publishers.happened[first].compactMap(\.seen).last ?? []
        #expect(seen.map(\.mark.position.sequence) == [SequenceNumber(5)])
    }

    @Test func aRestoredStoreThatWasWrittenSinceIsNoticedByTheChain() throws {
        var publishers = Publishers(2)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        let other = 1 - first
        try publishers.append(3, of: first)
        let older = publishers.store
        try publishers.append(2, named: "lost", of: first)
        publishers.pass(200)
        // Restored, and a leader that knows nothing of it writes more than was lost.
        publishers.store = older
        publishers.store.endLeases()
        publishers.cut = [other]
        publishers.all[first] = Publishers.publisher(7, now: publishers.now)
        publishers.pass(300)
        for number in 0..<6 { try publishers.append(1, named: "new\(number)", of: first) }
        publishers.cut = []
        publishers.pass(1_500)
        publishers.take(publishers.all[first].confirm(1, now: publishers.now), of: first)
        let seen = publishers.happened[first].compactMap(\.seen).last ?? []
        #expect(seen.map(\.mark.position.sequence) == [SequenceNumber(5)])
        // It is written once.
        let revision = publishers.store.revision
        publishers.pass(1_000)
        #expect(publishers.store.revision == revision)
    }

    @Test func aNewLeaderThatCannotReadTheLogLeavesItToOthers() throws {
        var publishers = Publishers(1)
        publishers.pass(300)
        try publishers.append(2, of: 0)
        publishers.store.endLeases()
        _ = publishers.store.execute(
            StoreTransaction(changes: [
                .remove(.key("/martlet/shop/records/00000001/0000000000000002"))
            ]))
        publishers.all[0] = Publishers.publisher(2, now: publishers.now)
        publishers.happened = [[]]
        publishers.pass(8_000)
        #expect(publishers.happened[0].compactMap(\.succession) == [])
        #expect(publishers.happened[0].contains(.resigned))
    }

    @Test func aStopIsAnsweredAlsoIfTheLeaseIsOverBeforeTheResignation() throws {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.now = publishers.now.advanced(by: .milliseconds(600))
        let keepAlive = publishers.all[0].tick(now: publishers.now)
        #expect(keepAlive.compactMap(\.purpose) == [.keepAlive])
        _ = publishers.all[0].resign(isStopping: true, now: publishers.now)
        let over = StoreAnswer(.keptAlive(isKnown: false), revision: 9)
        publishers.take(
            publishers.all[0].finished(.keepAlive, .success(over), now: publishers.now), of: 0)
        #expect(publishers.happened[0].contains(.resigned))
        publishers.pass(5_000)
        #expect(publishers.leaders == [])
    }

    // MARK: Following

    @Test func aStandbyThatMissedRemovedRecordsBeginsAnewAtTheTail() throws {
        var publishers = Publishers(2)
        publishers.pass(300)
        let first = try #require(publishers.leaders.first)
        let other = 1 - first
        try publishers.append(2, of: first)
        publishers.pass(200)
        publishers.cut = [other]
        try publishers.append(2, named: "b", of: first)
        try publishers.append(2, named: "c", of: first)
        // Retention removes the batch between.
        var head = try #require(HeadValue(publishers.store.pairs[keys.head]?.bytes ?? []))
        head.tail = SequenceNumber(5)
        _ = publishers.store.execute(
            StoreTransaction(changes: [
                .remove(.key("/martlet/shop/records/00000001/0000000000000002")),
                .remove(.key("/martlet/shop/records/00000001/0000000000000004")),
                .put(keys.head, head.bytes),
            ]))
        publishers.cut = []
        publishers.pass(1_500)
        let log = publishers.all[other].log
        #expect(log.window.head == head.mark)
        #expect(log.window.tail == SequenceNumber(5))
        #expect(log.floors?.completeSince == SequenceNumber(4))
        #expect(log.floors?.isCertain == false)
        #expect(log.batches.map(\.last.sequence) == [SequenceNumber(6)])
    }

    @Test func aLogOfManySmallBatchesIsReadInFewReadsAndLargeOnesInSmallReads() throws {
        var publishers = Publishers(1)
        publishers.pass(300)
        for number in 0..<400 { try publishers.append(1, named: "s\(number)-", of: 0) }
        var followed = FollowedLog(
            keys, FollowedLog.Bounds(freshID: logID, recordsMax: 1_000, bytesMax: 1 << 20))
        var readCount = 0
        while followed.isBehind, readCount < 100 {
            readCount += 1
            let outcome = publishers.store.execute(followed.read())
            guard case .success(let answer) = outcome,
                case .transaction(_, let pairs) = answer.content
            else {
                Issue.record("a read was refused")
                return
            }
            _ = try followed.received(pairs, askedAt: publishers.now)
        }
        #expect(followed.window.head.position.sequence == SequenceNumber(400))
        // The head; then 4, 8, 16, 32 and 64 batches.
        #expect(readCount <= 12)
    }

    @Test func aValueThatNoPublisherWroteIsReportedAndLeadsToNothing() {
        var publishers = Publishers(1)
        publishers.store.put(keys.head, "hello")
        publishers.pass(3_000)
        #expect(publishers.leaders == [])
        #expect(publishers.happened[0].contains(.report(.damaged(.key(keys.head)))))
    }

    @Test func theTroubleOfAStoreIsReportedOnce() {
        var publishers = Publishers(1)
        publishers.pass(300)
        publishers.happened = [[]]
        publishers.cut = [0]
        publishers.pass(3_000)
        publishers.cut = []
        publishers.pass(1_500)
        #expect(
            publishers.happened[0].filter(\.isReport)
                == [.report(.unreachable("timed out")), .report(.reachable)])
    }

    @Test func limitsHold() { SharedLogLimits.check() }
}

extension Leadership.Action {
    var succession: Leadership.Succession? {
        if case .lead(let succession) = self { succession } else { nil }
    }

    var confirmation: UInt64? {
        if case .confirmed(let number, _) = self { number } else { nil }
    }

    var seen: [FurthestMark]? { if case .confirmed(_, let seen) = self { seen } else { nil } }
    var isEnd: Bool { if case .end = self { true } else { false } }
    var isReport: Bool { if case .report = self { true } else { false } }
    var purpose: Leadership.Purpose? { request?.0 }

    var request: (Leadership.Purpose, StoreRequest)? {
        if case .send(let purpose, let request) = self { (purpose, request) } else { nil }
    }
}
