import CacheModel
import CacheVerification
import Testing

/// Transcripts: what a thread did and heard, and what it may be shown after that.
@Suite struct AnswerOracleTests {
    var thread = OracleTranscript()

    @Test mutating func nothingIsPromisedBeforeAReceipt() {
        thread.change(to: 1)
        let ticket = thread.oracle.invalidationSent(7, at: thread.now)
        #expect(thread.floor == .none)
        #expect(thread.answer(.fresh, showing: 0) == nil)
        thread.oracle.receipt(ticket, isComplete: true, at: thread.now)
        #expect(thread.floor == Version(1))
        #expect(thread.answer(.fresh, showing: 0) == .olderThanPromised)
        #expect(thread.answer(.fresh, showing: 1) == nil)
    }

    @Test mutating func anIncompleteReceiptPromisesNothing() {
        thread.change(to: 1)
        let ticket = thread.oracle.invalidationSent(7, at: thread.now)
        thread.oracle.receipt(ticket, isComplete: false, at: thread.now)
        #expect(thread.answer(.fresh, showing: 0) == nil)
    }

    @Test mutating func aReceiptThatDoesNotComePromisesNothing() {
        thread.change(to: 1)
        let ticket = thread.oracle.invalidationSent(7, at: thread.now)
        thread.oracle.receiptMissing(ticket, at: thread.now)
        #expect(thread.answer(.fresh, showing: 0) == nil)
    }

    @Test mutating func aGetSentBeforeTheReceiptMayShowTheOldValue() {
        thread.change(to: 1)
        let ticket = thread.oracle.invalidationSent(7, at: thread.now)
        let floor = thread.floor
        thread.oracle.receipt(ticket, isComplete: true, at: thread.now)
        #expect(thread.answer(.fresh, showing: 0, floor: floor) == nil)
        #expect(thread.answer(.fresh, showing: 0) == .olderThanPromised)
    }

    @Test mutating func aTicketPromisesWhatWasNewestWhenItWasSent() {
        thread.change(to: 1)
        let ticket = thread.oracle.invalidationSent(7, at: thread.now)
        thread.change(to: 2)
        thread.oracle.receipt(ticket, isComplete: true, at: thread.now)
        #expect(thread.floor == Version(1))
        #expect(thread.answer(.fresh, showing: 1) == nil)
        #expect(thread.answer(.fresh, showing: 2) == nil)
    }

    /// Two invalidations of one key overlap; their receipts come in either order.
    @Test(arguments: [false, true])
    mutating func receiptsOutOfOrderNeverLowerThePromise(isTurned: Bool) {
        thread.change(to: 1)
        let first = thread.oracle.invalidationSent(7, at: thread.now)
        thread.change(to: 2)
        let second = thread.oracle.invalidationSent(7, at: thread.now)
        for ticket in isTurned ? [second, first] : [first, second] {
            thread.oracle.receipt(ticket, isComplete: true, at: thread.now)
        }
        #expect(thread.floor == Version(2))
    }

    @Test mutating func theLaterReceiptIncompleteLeavesTheEarlierPromise() {
        thread.change(to: 1)
        let first = thread.oracle.invalidationSent(7, at: thread.now)
        thread.change(to: 2)
        let second = thread.oracle.invalidationSent(7, at: thread.now)
        thread.oracle.receipt(second, isComplete: false, at: thread.now)
        thread.oracle.receipt(first, isComplete: true, at: thread.now)
        #expect(thread.floor == Version(1))
    }

    @Test mutating func noAnswerIsNewerThanTheDatabase() {
        thread.change(to: 1)
        for standing in [JudgedAnswer.Standing.fresh, .stale, .unfenced] {
            #expect(thread.answer(standing, showing: 2) == .fromTheFuture)
            #expect(thread.answer(standing, showing: 1) == nil)
        }
    }

    @Test mutating func whatIsMarkedMayBeOldButNotAnotherKeys() {
        thread.promise(1)
        for standing in [JudgedAnswer.Standing.stale, .unfenced] {
            #expect(thread.answer(standing, showing: 0) == nil)
            let other = thread.judge(
                standing, VerifiedValue(key: 8, version: Version(1), run: thread.run))
            #expect(other == .bytesOfAnotherKey)
        }
    }

    @Test mutating func aMissIsAlwaysRight() {
        thread.promise(1)
        let answer = thread.asked(.miss)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(thread.oracle.judge(answer, value: nothing, at: thread.now) == nil)
    }

    @Test mutating func aValueOfAnEarlierRunIsOlderThanAnyPromise() {
        let earlier = VerifiedValue(key: 7, version: Version(900), run: RunStamp(5))
        #expect(thread.judge(.fresh, earlier) == nil)
        thread.promise(1)
        #expect(thread.judge(.fresh, earlier) == .olderThanPromised)
        #expect(thread.judge(.stale, earlier) == nil)
    }

    @Test mutating func whatIsFilledIsWhatTheDatabaseHasThen() throws {
        thread.promise(3)
        var bytes = [UInt8](repeating: 0, count: 40)
        let now = thread.now
        let version = bytes.withUnsafeMutableBytes { thread.oracle.fill(7, into: $0, at: now) }
        #expect(version == Version(3))
        let shown = try #require(bytes.withUnsafeBytes { VerifiedValue(decoding: $0) })
        #expect(shown == VerifiedValue(key: 7, version: Version(3), run: thread.run))
    }

    @Test mutating func theTallyCountsWhatAnswersSaid() {
        _ = thread.answer(.fresh, showing: 0)
        thread.promise(1)
        _ = thread.answer(.fresh, showing: 1)
        _ = thread.answer(.fresh, showing: 0)
        _ = thread.answer(.stale, showing: 0)
        _ = thread.answer(.unfenced, showing: 0)
        _ = thread.answer(.miss, showing: 0)
        let tally = thread.oracle.tally
        #expect(tally.freshCount == 3 && tally.staleCount == 1 && tally.wrongCount == 1)
        #expect(tally.unfencedCount == 1 && tally.missCount == 1)
        #expect(tally.promisedCount == 2, "the first of the fresh ones was promised nothing")
    }

    @Test mutating func theHistoryOfTheGuiltyKeyIsToldInOrder() {
        thread.promise(1)
        thread.oracle.changed(8, at: thread.now)
        thread.wait(.milliseconds(2))
        let answer = thread.asked(.fresh)
        thread.wait(.microseconds(210))
        let wrong = thread.judge(answer, showing: 0)
        #expect(
            wrong?.description
                == "key 7: a fresh answer is older than promised: it shows version 0, and "
                + "version 1 was promised before it was asked for")
        #expect(
            thread.oracle.history(of: 7) == [
                "-2.210 ms  the database changed it to version 1",
                "-2.210 ms  invalidation sent; version 1 was the newest",
                "-2.210 ms  receipt: all reached; from here on version 1 is promised, at 1:1",
                "-0.000 ms  answered fresh with version 0; asked 0.210 ms earlier",
            ])
    }

    /// The receipt is what proves an answer wrong, whatever happened to other keys since.
    @Test mutating func whatIsPromisedIsToldHoweverLongAgoItWas() {
        thread = OracleTranscript(limits: VerificationLimits(deedCountMax: 4, answerCountMax: 4))
        thread.promise(1)
        thread.wait(.milliseconds(5))
        for _ in 0..<100 { thread.oracle.changed(8, at: thread.now) }
        _ = thread.answer(.fresh, showing: 0)
        #expect(
            thread.oracle.history(of: 7) == [
                "what came before is not kept",
                "-5.000 ms  receipt: all reached; from here on version 1 is promised, at 1:1",
                "-0.000 ms  answered fresh with version 0; asked 0.000 ms earlier",
            ])
    }

    @Test mutating func aHistoryIsBoundedAndSaysSo() {
        let limits = VerificationLimits(deedCountMax: 4, answerCountMax: 4)
        thread = OracleTranscript(limits: limits)
        for _ in 0..<100 { thread.oracle.changed(8, at: thread.now) }
        thread.change(to: 1)
        #expect(
            thread.oracle.history(of: 7) == [
                "what came before is not kept", "-0.000 ms  the database changed it to version 1",
            ])
        #expect(thread.oracle.history(of: 9) == ["nothing that is still remembered"])
    }
}
