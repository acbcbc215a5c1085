import CacheModel
import CacheMetrics
import Testing
import TestSupport

@Suite struct SpanOutboxTests {
    @Test func theLimitsFitEachOther() { SpanLimits.check() }

    @Test func spansOfASecondLeaveTogether() {
        var outbox = SpanOutbox()
        #expect(outbox.recorded(Sample.span(1), at: Sample.at(0)) == .wake(Sample.at(1_000)))
        #expect(outbox.recorded(Sample.span(2), at: Sample.at(400)) == nil)
        #expect(outbox.woken(at: Sample.at(999)) == nil, "it is too early")
        #expect(outbox.woken(at: Sample.at(1_000)) == .send(Sample.spans(1...2)))
        #expect(outbox.woken(at: Sample.at(1_001)) == nil, "they are on their way")
        #expect(outbox.recorded(Sample.span(3), at: Sample.at(1_002)) == nil)
        #expect(
            outbox.answered(.taken(refusedCount: 0), at: 1_010) == .wake(Sample.at(2_010)),
            "the next gathers too")
        #expect(outbox.woken(at: Sample.at(2_010)) == .send([Sample.span(3)]))
        #expect(outbox.answered(.taken(refusedCount: 0), at: 2_020) == nil)
        #expect(outbox.figures.exported == 3 && outbox.heldCount == 0)
        #expect(
            outbox.recorded(Sample.span(4), at: Sample.at(9_000)) == .wake(Sample.at(10_000)))
    }

    @Test func aFullBatchWaitsForNothing() {
        var outbox = SpanOutbox()
        let full = UInt64(SpanLimits.batchSpansMax)
        for span in Sample.spans(1...(full - 1)) { _ = outbox.recorded(span, at: Sample.at(0)) }
        let all = Sample.spans(1...full)
        #expect(outbox.recorded(Sample.span(full), at: Sample.at(1)) == .send(all))
        for span in all { #expect(outbox.recorded(span, at: Sample.at(2)) == nil) }
        #expect(outbox.answered(.taken(refusedCount: 0), at: 3) == .send(all))
    }

    @Test func whatThereIsNoRoomForIsCountedAndForgotten() {
        var outbox = SpanOutbox.sending()
        let room = UInt64(SpanLimits.spansMax)
        for span in Sample.spans(1...(room + 5)) {
            #expect(outbox.recorded(span, at: Sample.at(1_001)) == nil)
        }
        #expect(outbox.heldCount == Int(room) + 1)
        #expect(outbox.figures.dropped == 5 && outbox.figures.lostCount == 5)
    }

    @Test func retriesToAnAbsentCollectorBackOffAndEnd() {
        var outbox = SpanOutbox.sending()
        var now: UInt64 = 1_000
        // Half of each pause is certain; chance adds up to the other half.
        for pause in [500, 1_000, 2_000, 4_000] as [UInt64] {
            let step = outbox.answered(.later("it is away", after: nil), at: now)
            now += pause
            #expect(step == .wake(Sample.at(now)))
            #expect(outbox.woken(at: Sample.at(now - 1)) == nil)
            #expect(outbox.woken(at: Sample.at(now)) == .send([Sample.span(1)]))
        }
        #expect(outbox.answered(.later("it is away", after: nil), at: now) == nil)
        #expect(outbox.figures.failed == 1 && outbox.heldCount == 0)
    }

    @Test func chanceAddsNoMoreThanTheOtherHalf() {
        var outbox = SpanOutbox.sending()
        let step = outbox.answered(
            .later("", after: nil), at: Sample.at(1_000), draw: 500_000_000)
        #expect(step == .wake(Sample.at(2_000)))
    }

    @Test(arguments: [(3, 3_000), (3_600, 60_000)] as [(Int64, UInt64)])
    func aCollectorThatAsksForAPauseHasItWithinReason(seconds: Int64, milliseconds: UInt64) {
        var outbox = SpanOutbox.sending()
        let step = outbox.answered(.later("busy", after: .seconds(seconds)), at: 1_000)
        #expect(step == .wake(Sample.at(1_000 + milliseconds)))
    }

    @Test func whatIsRefusedIsNotSentAgain() {
        var outbox = SpanOutbox.sending(3)
        #expect(outbox.answered(.refused("it answered 400"), at: 1_001) == nil)
        #expect(outbox.figures.refused == 3 && outbox.heldCount == 0)
    }

    @Test func aCollectorMayRefuseAFew() {
        var outbox = SpanOutbox.sending(3)
        #expect(outbox.answered(.taken(refusedCount: 2), at: 1_001) == nil)
        #expect(outbox.figures.refused == 2 && outbox.figures.exported == 1)
        var liar = SpanOutbox.sending(3)
        _ = liar.answered(.taken(refusedCount: .max), at: 1_001)
        #expect(liar.figures.refused == 3 && liar.figures.exported == 0)
    }

    // MARK: The end

    @Test func aStoppingOutboxSendsWithoutWaitingForMoreSpans() {
        var outbox = SpanOutbox()
        _ = outbox.recorded(Sample.span(1), at: Sample.at(0))
        #expect(outbox.stopping(at: Sample.at(1)) == .send([Sample.span(1)]))
        #expect(outbox.recorded(Sample.span(2), at: Sample.at(2)) == nil)
        #expect(outbox.answered(.taken(refusedCount: 0), at: 3) == .send([Sample.span(2)]))
        #expect(outbox.answered(.taken(refusedCount: 0), at: 4) == .end)
        #expect(outbox.recorded(Sample.span(3), at: Sample.at(5)) == nil)
        #expect(outbox.figures.exported == 2 && outbox.figures.dropped == 1)
    }

    @Test func nothingIsTriedAgainAtTheEnd() {
        var outbox = SpanOutbox.sending()
        _ = outbox.answered(.later("busy", after: .seconds(60)), at: 1_000)
        for span in Sample.spans(2...4) { _ = outbox.recorded(span, at: Sample.at(1_001)) }
        #expect(outbox.stopping(at: Sample.at(1_002)) == .send([Sample.span(1)]))
        #expect(outbox.answered(.later("busy", after: nil), at: 1_003) == .end)
        #expect(outbox.figures.failed == 4 && outbox.heldCount == 0)
    }

    @Test func whereNothingIsHeldTheEndIsAtOnce() {
        var outbox = SpanOutbox()
        #expect(outbox.stopping(at: Sample.at(0)) == .end)
        #expect(outbox.stopping(at: Sample.at(0)) == .end)
    }

    @Test func whatIsHeldWhenTimeIsUpIsLost() {
        var outbox = SpanOutbox.sending(2)
        _ = outbox.recorded(Sample.span(3), at: Sample.at(1_001))
        _ = outbox.stopping(at: Sample.at(1_002))
        outbox.cut()
        outbox.cut()
        #expect(outbox.figures.failed == 3 && outbox.heldCount == 0)
        #expect(outbox.answered(.taken(refusedCount: 0), at: 1_003) == nil, "it comes too late")
        #expect(outbox.figures.exported == 0)
    }

    // MARK: The log

    @Test func theLogHasALineAMinute() throws {
        var outbox = SpanOutbox.sending()
        #expect(outbox.takeNews(at: Sample.at(1_000)) == nil, "all is well")
        _ = outbox.answered(.refused("it answered 400"), at: 1_001)
        let early = outbox.takeNews(at: Sample.at(1_001))
        let first = try #require(early)
        #expect(first.reason == "it answered 400" && first.lostCount == 1)
        #expect(outbox.takeNews(at: Sample.at(1_002)) == nil)
        for span in Sample.spans(1...(UInt64(SpanLimits.spansMax) + 600)) {
            _ = outbox.recorded(span, at: Sample.at(1_003))
        }
        #expect(outbox.takeNews(at: Sample.at(61_000)) == nil, "a minute is not over")
        let late = outbox.takeNews(at: Sample.at(61_001))
        let second = try #require(late)
        #expect(second.reason == nil && second.lostCount == 88)
        #expect(outbox.takeNews(at: Sample.at(200_000)) == nil, "nothing is new")
    }

    /// Every span is in one figure or held, whatever happens in whatever order.
    @Test func noSpanIsCountedTwiceOrLost() {
        var draw = SeededGenerator(seed: 68)
        let spans = (1...300 as ClosedRange<UInt64>).map { Sample.span($0) }
        var wrong: [String] = []
        for round in 0..<200 {
            var outbox = SpanOutbox()
            var recorded: UInt64 = 0
            var now: UInt64 = 0
            for _ in 0..<300 {
                now += draw.next() % 900
                switch draw.next() % 8 {
                case 0...3:
                    let count = Int(1 + draw.next() % 300)
                    for span in spans[..<count] {
                        _ = outbox.recorded(span, at: Sample.at(now))
                    }
                    recorded += UInt64(count)
                case 4: _ = outbox.woken(at: Sample.at(now))
                case 5: _ = outbox.answered(.later("", after: nil), at: now)
                case 6: _ = outbox.answered(.taken(refusedCount: Int(draw.next() % 3)), at: now)
                default: _ = outbox.answered(.refused(""), at: now)
                }
                if draw.next() % 500 == 0 { _ = outbox.stopping(at: Sample.at(now)) }
                if draw.next() % 900 == 0 { outbox.cut() }
                let figures = outbox.figures
                let held = outbox.heldCount
                let told = figures.exported + figures.lostCount + UInt64(held)
                if told != recorded || held > SpanLimits.spansMax + SpanLimits.batchSpansMax {
                    wrong.append("round \(round): \(told) of \(recorded), \(held) held")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }
}
