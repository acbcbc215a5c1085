import CacheLoading
import CacheModel
import Testing

/// Transcripts: what happens to a node's writes, and what it does about it.
@Suite struct WriteQueueTests {
    private static let down = WriteVerdict.down(.unreachable, retryAfter: nil)

    private static func name(_ number: UInt64) -> OperationID { OperationID(high: 9, low: number) }

    @Test func aWriteGoesToTheOriginFirstAndIsThenPublished() {
        var story = WriteStory()
        #expect(story.asks("a", "1") == ["try 1 a=1"])
        #expect(story.attempt(1, .taken) == ["publish 1 a"])
        #expect(story.published(1, at: 5) == ["answer 1 taken at 5"])
        #expect(story.queue.depth == (0, 0))
        #expect(story.queue.bytes == 0)
    }

    @Test func anOriginThatSaysNoIsBelieved() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        let no = WriteVerdict.refused(WriteRejection(status: 422))
        #expect(story.attempt(1, no) == ["answer 1 refused 422"])
        #expect(story.queue.depth == (0, 0))
    }

    @Test func aWriteIsAnsweredQueuedOnlyOnceItLasts() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        #expect(story.attempt(1, Self.down) == ["append 1: 1 a=1"])
        #expect(story.queue.newest(of: WriteStory.line("a")) == nil)
        #expect(story.journaled(1) == ["hold a", "answer 1 queued"])
        #expect(story.queue.newest(of: WriteStory.line("a"))?.value == Array("1".utf8))
    }

    @Test func aWriteKeepsItsTraceInAttemptsAndTheJournal() throws {
        var story = WriteStory()
        #expect(story.asks("a", "1", of: WriteStory.trace) == ["try 1 a=1 traced"])
        #expect(story.attempt(1, Self.down) == ["append 1: 1 a=1 traced, 1 of 4bf92f35"])
        _ = story.journaled(1)
        #expect(story.passes(.seconds(2)) == ["replay 1 a=1 traced"])
        // Killed now, and begun anew.
        var write = WriteStory.write("a", "1")
        write.trace = WriteStory.trace
        let records: [JournalRecord] = [
            .write(WriteNumber(1), write, at: 1), .trace(WriteNumber(1), WriteStory.trace),
        ]
        var writer = JournalWriter()
        let journal = try RecoveredJournal(writer.whole(records, salt: .sample))
        var again = WriteStory()
        let actions = again.tell { $0.restore(journal, now: $2, into: &$1) }
        #expect(actions == ["hold a", "replay 1 a=1 traced"])
        #expect(journal.records == records)
    }

    /// An earlier release cuts off a record that it does not know: it must not find one in a file
    /// that it reads.
    @Test func theFirstWriteWithARepresentationBeginsAFileThatTakesIt() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        #expect(story.attempt(1, Self.down) == ["append 1: 1 a=1"])
        _ = story.journaled(1)
        #expect(
            story.asks("b", "2", type: "text/css") == ["rewrite 2: 1 a=1, 2 b=2 as text/css"])
        #expect(story.journaled(2) == ["hold b", "answer 2 queued"])
        #expect(story.asks("c", "3", type: "text/css") == ["append 3: 3 c=3 as text/css"])
    }

    @Test func whatComesBehindAWriteUnderWayWaitsAndKeepsItsOrder() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        #expect(story.asks("a", "2") == [])
        #expect(story.asks("b", "3") == ["try 3 b=3"])
        #expect(story.attempt(1, .taken) == ["publish 1 a"])
        #expect(story.published(1, at: 5) == ["answer 1 taken at 5", "try 2 a=2"])
    }

    @Test func whatWaitedForAWriteThatFailedIsQueuedWithIt() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.asks("a", nil)
        #expect(story.attempt(1, Self.down) == ["append 1: 1 a=1, 2 a=none"])
        #expect(
            story.journaled(1) == ["hold a", "answer 1 queued", "hold a", "answer 2 queued"])
        let newest = story.queue.newest(of: WriteStory.line("a"))
        #expect(newest != nil && newest?.value == nil)
    }

    @Test func whileAnOriginRestsWritesGoStraightIntoTheQueue() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        #expect(story.asks("b", "2") == ["append 2: 2 b=2"])
        #expect(story.journaled(2) == ["hold b", "answer 2 queued"])
    }

    @Test func whatDoesNotLastYetIsNotShown() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        _ = story.asks("a", "2")
        #expect(story.queue.newest(of: WriteStory.line("a"))?.value == Array("1".utf8))
        #expect(story.journaled(2) == ["hold a", "answer 2 queued"])
        #expect(story.queue.newest(of: WriteStory.line("a"))?.value == Array("2".utf8))
    }

    @Test func oneReplayProbesTheOriginBeforeAllWritesAreReplayed() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        _ = story.asks("b", "2")
        _ = story.journaled(2)
        _ = story.asks("a", "3")
        _ = story.journaled(3)
        #expect(story.passes(.milliseconds(500)) == [])
        #expect(story.passes(.seconds(2)) == ["replay 1 a=1"])
        #expect(story.attempt(1, .taken) == ["publish 1 a", "replay 2 b=2"])
        #expect(story.published(1, at: 5) == ["replay 3 a=3", "append 4: 1 done"])
        #expect(story.attempt(3, .taken) == ["publish 3 a"])
        #expect(story.published(3, at: 6) == ["release a at 6", "append 5: 3 done"])
        #expect(story.attempt(2, .taken) == ["publish 2 b"])
        #expect(story.published(2, at: 7) == ["release b at 7", "append 6: 2 done"])
        #expect(story.queue.depth == (0, 0))
        #expect(story.queue.nextDeadline == nil)
    }

    @Test func restsGrowAndEndWithTheFirstAnswer() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        var rests: [Duration] = []
        for _ in 0..<8 {
            guard let deadline = story.queue.nextDeadline else { break }
            rests.append(deadline.elapsed(since: story.now))
            #expect(story.passes(rests.last ?? .zero) == ["replay 1 a=1"])
            #expect(story.attempt(1, Self.down) == [])
        }
        #expect(rests.count == 8)
        #expect(rests[0] < .seconds(2) && rests[7] > .seconds(20) && rests[7] <= .seconds(36))
    }

    @Test func anOriginThatAsksForTimeGetsIt() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, .down(.unavailable, retryAfter: .seconds(90)))
        _ = story.journaled(1)
        #expect(story.passes(.seconds(89)) == [])
        #expect(story.passes(.seconds(2)) == ["replay 1 a=1"])
    }

    @Test func aRejectedWriteIsListedAndDoesNotBlockItsKey() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.asks("a", "2")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        _ = story.passes(.seconds(2))
        let no = WriteVerdict.refused(WriteRejection(status: 409, words: Array("old".utf8)))
        #expect(story.attempt(1, no) == ["publish 1 a"])
        #expect(story.published(1, at: 5) == ["replay 2 a=2", "append 2: 1 rejected 409"])
        #expect(story.queue.depth == (1, 1))
        #expect(story.queue.listing.first?.rejection?.words == Array("old".utf8))
        _ = story.attempt(2, .taken)
        #expect(story.published(2, at: 6) == ["release a at 6", "append 3: 2 done"])
        let dropped = story.tell { queue, actions, _ in
            _ = queue.drop(where: { $0 == WriteStory.line("a") }, into: &actions)
        }
        #expect(dropped == ["append 4: 1 done"])
        #expect(story.queue.depth == (0, 0))
        #expect(story.queue.bytes == 0)
    }

    @Test func aRejectedWriteThatIsTriedAgainHasAnotherName() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        _ = story.passes(.seconds(2))
        _ = story.attempt(1, .refused(WriteRejection(status: 403)))
        _ = story.published(1, at: 5)
        let told = story.tell {
            _ = $0.retry(where: { _ in true }, named: Self.name, now: $2, into: &$1)
        }
        #expect(told == ["append 3: 2 a=1, 2 from ever, 1 done"])
        #expect(story.journaled(3) == ["hold a", "replay 2 a=1"])
        let again = story.queue.listing.first?.write.name
        #expect(again == Self.name(2))
    }

    @Test func retryingARejectedWriteKeepsItWhenTheJournalFails() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        _ = story.passes(.seconds(2))
        _ = story.attempt(1, .refused(WriteRejection(status: 403)))
        _ = story.published(1, at: 5)
        let again = { (queue: inout WriteQueue, actions: inout [WriteQueue.Action], now: Instant) in
            _ = queue.retry(
                where: { _ in true }, named: Self.name, now: now, into: &actions)
        }
        _ = story.tell(again)
        #expect(story.journaled(3, false) == ["rewrite 4: 2 a=1, 2 from ever, 2 rejected 403"])
        #expect(story.queue.depth == (0, 1))
        #expect(story.queue.listing.map(\.rejection?.status) == [403])
        // Later it takes something again.
        _ = story.journaled(4)
        #expect(story.tell(again) == ["append 5: 3 a=1, 3 from ever, 2 done"])
        #expect(story.journaled(5) == ["hold a", "replay 3 a=1"])
        _ = story.attempt(3, .taken)
        _ = story.published(3, at: 6)
        #expect(story.queue.bytes == 0)
    }

    @Test func aWriteThatCannotBePublishedIsQueuedAndPublishedLater() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, .taken)
        #expect(story.published(1, at: nil) == ["append 1: 1 a=1"])
        #expect(story.journaled(1) == ["hold a", "answer 1 queued"])
        #expect(story.passes(.seconds(1)) == ["publish 1 a"])
        #expect(story.published(1, at: 8) == ["release a at 8", "append 2: 1 done"])
    }

    @Test func aFailedJournalAppendIsRetriedWithoutNewWrites() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        _ = story.passes(.seconds(2))
        _ = story.attempt(1, .taken)
        #expect(story.published(1, at: 5).contains("append 2: 1 done"))
        #expect(story.journaled(2, false) == [])
        #expect(story.queue.isJournalUnusable)
        let later = (0..<3).flatMap { _ in story.passes(.seconds(1)) }
        #expect(later.contains("rewrite 3: "))
        _ = story.journaled(3)
        #expect(!story.queue.isJournalUnusable)
    }

    @Test func anUnusableJournalRefusesWritesAndIsRetriedPeriodically() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        #expect(!story.queue.isJournalUnusable)
        #expect(story.journaled(1, false) == ["answer 1 unusable", "rewrite 2: "])
        #expect(story.queue.isJournalUnusable)
        #expect(story.journaled(2, false) == [])
        #expect(story.asks("b", "2") == ["rewrite 3: 2 b=2"])
        #expect(story.journaled(3, false) == ["answer 2 unusable", "rewrite 4: "])
        #expect(story.journaled(4, false) == [])
        // From now on nothing is written for each of them.
        for ticket in 3...9 {
            #expect(story.asks("c\(ticket)", "3") == ["answer \(ticket) unusable"])
        }
        #expect(!story.passes(.seconds(1)).contains("rewrite 5: "))
        #expect(story.passes(.seconds(1)).contains("rewrite 5: "))
        #expect(story.journaled(5, false) == [])
        #expect(!story.passes(.seconds(3)).contains("rewrite 6: "))
        #expect(story.passes(.seconds(1)).contains("rewrite 6: "))
        #expect(story.journaled(6) == [])
        #expect(!story.queue.isJournalUnusable)
    }

    @Test func aQueueRestoredOnAFullDiskListsWritesAndRecovers() throws {
        var story = WriteStory(isJournalBroken: true)
        var writer = JournalWriter()
        let records = [JournalRecord.write(WriteNumber(1), WriteStory.write("a", "1"), at: 1_001)]
        let journal = try RecoveredJournal(writer.whole(records, salt: .sample))
        #expect(
            story.tell { queue, actions, now in
                queue.restore(journal, now: now, into: &actions)
            } == ["hold a", "replay 1 a=1"])
        #expect(story.queue.isJournalUnusable && story.queue.depth == (1, 0))
        #expect(story.attempt(1, Self.down) == [])
        #expect(story.asks("b", "2") == ["answer 1 unusable"])
        #expect(story.passes(.seconds(1)).contains("rewrite 1: 1 a=1"))
        #expect(story.journaled(1) == [])
        #expect(!story.queue.isJournalUnusable)
    }

    @Test func aJournalThatTakesNothingIsSaidAndWrittenAnewNextTime() {
        var story = WriteStory()
        _ = story.asks("a", "1")
        _ = story.attempt(1, Self.down)
        #expect(story.journaled(1, false) == ["answer 1 unusable", "rewrite 2: "])
        #expect(story.journaled(2, false) == [])
        #expect(story.asks("b", "2") == ["rewrite 3: 2 b=2"])
        #expect(story.journaled(3) == ["hold b", "answer 2 queued"])
        #expect(story.asks("c", "3") == ["append 4: 3 c=3"])
    }

    @Test func withoutAPlaceToQueueAWriteIsTakenOrRefused() {
        var story = WriteStory(hasJournal: false)
        _ = story.asks("a", "1")
        _ = story.asks("a", "2")
        #expect(
            story.attempt(1, Self.down) == ["answer 2 unusable", "answer 1 unusable"])
        #expect(story.queue.bytes == 0)
        #expect(story.asks("a", "3") == ["answer 3 unusable"])
        _ = story.passes(.seconds(2))
        #expect(story.asks("a", "4") == ["try 4 a=4"])
        #expect(story.asks("b", "5") == ["answer 5 unusable"])
    }

    @Test func aFullQueueSaysSoAndKeepsWhatItHas() {
        var story = WriteStory()
        let large = String(repeating: "x", count: WriteLimits.bytesMax / 2)
        _ = story.asks("a", large)
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        #expect(story.asks("b", large) == ["answer 2 full"])
        #expect(story.queue.statistics.full == 1)
        #expect(story.queue.depth == (1, 0))
    }

    @Test func aJournalFullOfWhatIsOverIsWrittenAnew() {
        var story = WriteStory()
        var order: UInt64 = 0
        /// Has a write queued, replayed and ended.
        func cycle(_ number: UInt64, _ value: String, _ verdict: WriteVerdict) -> [String] {
            _ = story.asks(number == 1 ? "z" : "a", value)
            _ = story.attempt(number, Self.down)
            order += 1
            _ = story.journaled(order)
            _ = story.passes(.seconds(40))
            _ = story.attempt(number, verdict)
            let told = story.published(number, at: number)
            order += 1
            _ = story.journaled(order)
            return told
        }
        _ = cycle(1, "stays", .refused(WriteRejection(status: 400)))
        let value = String(repeating: "x", count: 300_000)
        let ends = (2...5).map { cycle($0, value, .taken).last ?? "" }
        #expect(ends[..<3].allSatisfy { $0.hasPrefix("append") })
        #expect(ends[3] == "rewrite \(order): 1 z=stays, 1 rejected 400")
        #expect(cycle(6, "small", .taken).last == "append \(order): 6 done")
    }

    @Test func itsLimitsAgree() { WriteLimits.check() }
}
