import CacheInvalidation
import CacheModel
import CacheSimulation
import CacheWire
import SharedLogCore
import Testing

/// What a writer makes of orders, answers and missing answers.
@Suite struct SharedLogWriterTests {
    /// A writer of term 1 and the store that it writes to.
    struct Writing {
        var store = SimulatedStore()
        var writer: SharedLogWriter
        var now = Instant.milliseconds(0)
        let leader = leaderValue(1)
        var head = HeadValue(log: logID, mark: .start(), tail: SequenceNumber(1))
        private var tickets: UInt64 = 0

        init(bytesMax: Int = 1 << 20) {
            store.put(keys.leader, String(decoding: leader.bytes, as: UTF8.self))
            store.put(keys.head, String(decoding: head.bytes, as: UTF8.self))
            writer = SharedLogWriter(
                keys, leader: leader, head: head, batches: [], bytesMax: bytesMax)
        }

        /// Orders an append of records after the last ones that were ordered.
        @discardableResult
        mutating func order(_ batch: [SealedRecord]) throws -> LogTicket {
            tickets += 1
            writer.order(.append(LogTicket(tickets), batch, after: head.mark))
            head.mark = try #require(batch.last?.mark)
            return LogTicket(tickets)
        }

        /// Takes the next transaction.
        mutating func next() throws -> StoreTransaction {
            let transaction = writer.next(now: now)
            return try #require(transaction)
        }

        /// Executes it, and hands the answer over.
        mutating func run(_ transaction: StoreTransaction) -> [SharedLogWriter.News] {
            writer.finished(store.execute(transaction), now: now)
        }

        /// Appends batches of one record.
        mutating func append(_ count: Int, every spacing: Duration) throws -> LogMark {
            var mark = LogMark.start()
            for _ in 0..<count {
                now = now.advanced(by: spacing)
                let batch = try records(1, after: mark)
                try order(batch)
                _ = run(try next())
                mark = try #require(batch.last?.mark)
            }
            return mark
        }

        /// The keys of the batches in the store.
        var kept: [String] { store.pairs.keys.filter { $0.contains("/records/") }.sorted() }

        /// It has no answer.
        mutating func lose() -> [SharedLogWriter.News] {
            defer { now = now.advanced(by: .seconds(2)) }
            return writer.finished(.failure(.unknown("timed out")), now: now)
        }

        /// Another publisher leads, and has appended these.
        mutating func depose(appending batch: [SealedRecord] = [], after mark: LogMark) throws {
            let other = leaderValue(2)
            store.put(keys.leader, String(decoding: other.bytes, as: UTF8.self))
            guard let last = batch.last else { return }
            let head = try #require(HeadValue(store.pairs[keys.head]?.bytes ?? []))
            var theirs = SharedLogWriter(
                keys, leader: other, head: head, batches: [], bytesMax: 1 << 20)
            theirs.order(.append(LogTicket(1), batch, after: mark))
            let next = theirs.next(now: now)
            let news = theirs.finished(store.execute(try #require(next)), now: now)
            #expect(news == [.appended(LogOutcome(ticket: LogTicket(1)))])
            #expect(HeadValue(store.pairs[keys.head]?.bytes ?? [])?.mark == last.mark)
        }
    }

    @Test func anAppendComparesTermAndHeadAndMovesTheHead() throws {
        var writing = Writing()
        let batch = try records(2, after: .start())
        let ticket = try writing.order(batch)
        let transaction = try writing.next()
        #expect(
            transaction.conditions == [
                .isEqual(keys.leader, writing.leader.bytes),
                .isEqual(
                    keys.head,
                    HeadValue(log: logID, mark: .start(), tail: SequenceNumber(1)).bytes),
            ])
        #expect(writing.run(transaction) == [.appended(LogOutcome(ticket: ticket))])
        #expect(
            writing.store.text(keys.head)
                == "1 log=a1 epoch=1 sequence=2 digest="
                + String(batch[1].digest.rawValue, radix: 16) + " tail=1")
        let stored = try #require(
            writing.store.pairs["/martlet/shop/records/00000001/0000000000000002"])
        #expect(RecordBatch.records(in: stored.bytes) == batch)
        #expect(writing.writer.isIdle)
    }

    @Test func oneTransactionIsUnderWayAtATime() throws {
        var writing = Writing()
        let batch = try records(2, after: .start())
        try writing.order([batch[0]])
        try writing.order([batch[1]])
        let first = try writing.next()
        #expect(writing.writer.next(now: writing.now) == nil)
        _ = writing.run(first)
        _ = writing.run(try writing.next())
        #expect(HeadValue(writing.store.pairs[keys.head]?.bytes ?? [])?.mark == batch[1].mark)
    }

    // MARK: Unknown outcomes

    @Test(arguments: [false, true])
    func anAppendWithoutAnAnswerIsRepeatedAndIsInTheLogOnce(isExecuted: Bool) throws {
        var writing = Writing()
        let batch = try records(1, after: .start())
        let ticket = try writing.order(batch)
        let first = try writing.next()
        if isExecuted { _ = writing.store.execute(first) }
        #expect(writing.lose() == [.trouble("timed out")])
        let second = try writing.next()
        #expect(second == first)
        #expect(writing.run(second) == [.trouble(nil), .appended(LogOutcome(ticket: ticket))])
        #expect(HeadValue(writing.store.pairs[keys.head]?.bytes ?? [])?.mark == batch[0].mark)
        // It goes on behind it.
        try writing.order(try records(1, after: batch[0].mark, named: "next"))
        let news = writing.run(try writing.next())
        #expect(news == [.appended(LogOutcome(ticket: LogTicket(2)))])
    }

    @Test func anAppendThatIsLateAfterAnotherTermBeganIsRefusedForEver() throws {
        var writing = Writing()
        let ticket = try writing.order(try records(1, after: .start()))
        let late = try writing.next()
        _ = writing.lose()
        try writing.depose(after: .start())
        let news = writing.run(try writing.next())
        #expect(
            news == [
                .trouble(nil), .appended(LogOutcome(ticket: ticket, refusal: .superseded)),
                .deposed(leaderValue(2)),
            ])
        let before = writing.store.pairs
        _ = writing.store.execute(late)
        #expect(writing.store.pairs == before)
    }

    @Test func anAppendThatWasExecutedBeforeItsTermEndedCountsAsAppended() throws {
        var writing = Writing()
        let batch = try records(1, after: .start())
        let ticket = try writing.order(batch)
        _ = writing.store.execute(try writing.next())
        _ = writing.lose()
        try writing.depose(
            appending: try records(1, after: batch[0].mark, named: "theirs"),
            after: batch[0].mark)
        let news = writing.run(try writing.next())
        #expect(
            news == [
                .trouble(nil), .appended(LogOutcome(ticket: ticket)), .deposed(leaderValue(2)),
            ])
    }

    @Test func whatTheRetentionHasRemovedSinceIsNotCalledRefused() throws {
        var writing = Writing()
        let batch = try records(1, after: .start())
        let ticket = try writing.order(batch)
        _ = writing.store.execute(try writing.next())
        _ = writing.lose()
        try writing.depose(
            appending: try records(1, after: batch[0].mark, named: "theirs"),
            after: batch[0].mark)
        var head = try #require(HeadValue(writing.store.pairs[keys.head]?.bytes ?? []))
        head.tail = SequenceNumber(2)
        _ = writing.store.execute(
            StoreTransaction(changes: [
                .remove(.key(keys.records(through: batch[0].position))),
                .put(keys.head, head.bytes),
            ]))
        let news = writing.run(try writing.next())
        #expect(news.contains(.appended(LogOutcome(ticket: ticket, refusal: .unknown))))
    }

    @Test func anotherBatchAtItsPlaceIsNotTheOwnOne() throws {
        var writing = Writing()
        let ticket = try writing.order(try records(1, after: .start()))
        _ = try writing.next()
        _ = writing.lose()
        try writing.depose(
            appending: try records(1, after: .start(), named: "theirs"), after: .start())
        let news = writing.run(try writing.next())
        #expect(news.contains(.appended(LogOutcome(ticket: ticket, refusal: .superseded))))
    }

    @Test func aRefusalIsFinalOnlyIfNoEarlierAttemptIsUncertain() throws {
        var writing = Writing()
        let batch = try records(2, after: .start())
        let ticket = try writing.order([batch[0]])
        _ = try writing.next()
        let refused = StoreOutcome.failure(.refused("no space"))
        #expect(
            writing.writer.finished(refused, now: writing.now) == [
                .trouble("no space"),
                .appended(LogOutcome(ticket: ticket, refusal: .storage("no space"))),
            ])
        writing.head.mark = .start()
        let second = try writing.order([batch[0]])
        let transaction = try writing.next()
        _ = writing.store.execute(transaction)
        _ = writing.lose()
        _ = try writing.next()
        #expect(writing.writer.finished(refused, now: writing.now) == [])
        writing.now = writing.now.advanced(by: .seconds(2))
        #expect(
            writing.run(try writing.next()) == [
                .trouble(nil), .appended(LogOutcome(ticket: second)),
            ])
    }

    @Test func aRepetitionPausesLongerAndLonger() throws {
        var writing = Writing()
        try writing.order(try records(1, after: .start()))
        _ = try writing.next()
        let failure = StoreOutcome.failure(.unknown("timed out"))
        _ = writing.writer.finished(failure, now: writing.now)
        #expect(writing.writer.next(now: writing.now) == nil)
        #expect(writing.writer.nextDue == writing.now.advanced(by: .milliseconds(50)))
        for _ in 0..<8 {
            writing.now = try #require(writing.writer.nextDue)
            _ = try writing.next()
            _ = writing.writer.finished(failure, now: writing.now)
        }
        #expect(writing.writer.nextDue == writing.now.advanced(by: .seconds(1)))
    }

    // MARK: Fences

    @Test func anAppendOntoAnotherHeadDeposesItsWriter() throws {
        var writing = Writing()
        let ticket = try writing.order(try records(1, after: .start()))
        let transaction = try writing.next()
        // With the own term: the store was restored or edited.
        writing.store.put(
            keys.head,
            String(
                decoding: HeadValue(
                    log: logID, mark: .start(2), tail: SequenceNumber(1)
                ).bytes, as: UTF8.self))
        #expect(
            writing.run(transaction) == [
                .appended(LogOutcome(ticket: ticket, refusal: .superseded)), .deposed(nil),
            ])
    }

    @Test func aDeposedWriterStoresNoState() throws {
        var writing = Writing()
        writing.writer.order(.store(.runs, [1]))
        writing.writer.order(.store(.pacings, [2]))
        let transaction = try writing.next()
        try writing.depose(after: .start())
        #expect(
            writing.run(transaction) == [
                .stored(.runs, failure: "another publisher leads"),
                .stored(.pacings, failure: "another publisher leads"),
                .deposed(leaderValue(2)),
            ])
        #expect(writing.store.pairs[keys.state(.runs)] == nil)
        writing.writer.order(.store(.runs, [3]))
        #expect(writing.writer.next(now: writing.now) == nil)
    }

    @Test func onlyTheNewestBytesOfAStateAreStored() throws {
        var writing = Writing()
        writing.writer.order(.store(.runs, [1]))
        let first = try writing.next()
        writing.writer.order(.store(.runs, [2]))
        writing.writer.order(.store(.runs, [3]))
        #expect(writing.run(first) == [.stored(.runs, failure: nil)])
        #expect(writing.run(try writing.next()) == [.stored(.runs, failure: nil)])
        #expect(writing.store.pairs[keys.state(.runs)]?.bytes == [3])
        #expect(writing.writer.isIdle)
    }

    /// The simulation found it: the runs of nodes that were stored earlier came back.
    @Test(arguments: [true, false])
    func aStateThatIsExecutedLateReplacesNoLaterOne(isAtFirst: Bool) throws {
        var writing = Writing()
        writing.writer.order(.store(.runs, [1]))
        let first = try writing.next()
        if isAtFirst { _ = writing.store.execute(first) }
        _ = writing.lose()
        #expect(writing.run(try writing.next()) == [.trouble(nil), .stored(.runs, failure: nil)])
        writing.writer.order(.store(.runs, [2]))
        #expect(writing.run(try writing.next()) == [.stored(.runs, failure: nil)])
        _ = writing.store.execute(first)
        #expect(writing.store.pairs[keys.state(.runs)]?.bytes == [2])
    }

    @Test func theFirstStateOfATermFollowsTheLastOfAnother() throws {
        var writing = Writing()
        writing.store.put(keys.turn, "1 term=2 writes=9")
        writing.writer.order(.store(.runs, [1]))
        #expect(writing.run(try writing.next()).isEmpty)
        #expect(writing.run(try writing.next()) == [.stored(.runs, failure: nil)])
        #expect(writing.store.pairs[keys.state(.runs)]?.bytes == [1])
    }

    // MARK: Epochs and retention

    @Test func anEpochRemovesTheRecordsBeforeItAndIsTriedUntilItIsBegun() throws {
        var writing = Writing()
        try writing.order(try records(1, after: .start()))
        _ = writing.run(try writing.next())
        writing.writer.order(.begin(logID, .start(2)))
        _ = try writing.next()
        let refused = StoreOutcome.failure(.refused("no space"))
        #expect(writing.writer.finished(refused, now: writing.now) == [.trouble("no space")])
        writing.now = writing.now.advanced(by: .seconds(2))
        #expect(writing.run(try writing.next()) == [.trouble(nil), .begun(.start(2))])
        #expect(writing.store.pairs.keys.sorted() == [keys.head, keys.leader])
        writing.head.mark = .start(2)
        let ticket = try writing.order(try records(1, after: .start(2)))
        #expect(writing.run(try writing.next()) == [.appended(LogOutcome(ticket: ticket))])
    }

    @Test func theOldestBatchesAreRemovedWithTheAppendThatExceedsTheRetention() throws {
        var writing = Writing(bytesMax: 300)
        let mark = try writing.append(6, every: .seconds(31))
        let kept = writing.kept
        let bytes = kept.reduce(0) { $0 + (writing.store.pairs[$1]?.bytes.count ?? 0) }
        #expect(bytes <= 300 && !kept.isEmpty)
        let head = try #require(HeadValue(writing.store.pairs[keys.head]?.bytes ?? []))
        let oldest = try #require(
            RecordBatch.records(in: writing.store.pairs[kept[0]]?.bytes ?? [])?.first)
        #expect(head.tail == oldest.position.sequence)
        #expect(head.mark == mark)
    }

    @Test func batchesThatAnOperationMayBeRepeatedInAreKeptWhateverTheirSize() throws {
        var writing = Writing(bytesMax: 300)
        _ = try writing.append(6, every: .seconds(6))
        #expect(writing.kept.count == 5, "the first is older than the time for repetitions")
    }
}
