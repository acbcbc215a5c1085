import CacheClientCore
import CacheModel
import Testing

@Suite struct SendWindowTests {
    private static let start = Instant(nanoseconds: 1_000_000_000)
    private static let holdEnd = start.advanced(by: ClientLimits.getHoldMax)

    private static func after(_ microseconds: Int64) -> Instant {
        start.advanced(by: .microseconds(microseconds))
    }

    private func window(inFlight count: Int) -> SendWindow {
        var window = SendWindow()
        for _ in 0..<count { window.sent() }
        return window
    }

    @Test func aGetAloneIsNeverHeld() {
        for count in 0..<ClientLimits.getMessagesAtOnce {
            let window = window(inFlight: count)
            #expect(window.next(full: nil, draft: Self.start, at: Self.start) == .draft)
        }
    }

    @Test func whereNothingWaitsNothingGoesAndNothingIsWaitedFor() {
        let window = window(inFlight: 0)
        #expect(window.next(full: nil, draft: nil, at: Self.start) == nil)
        #expect(window.holdEnd(draft: nil) == nil)
    }

    @Test func aPartialMessageWaitsUntilFewerMessagesAreInFlight() {
        var window = window(inFlight: ClientLimits.getMessagesAtOnce + 1)
        #expect(window.next(full: nil, draft: Self.start, at: Self.start) == nil)
        #expect(window.next(full: Self.start, draft: nil, at: Self.start) == .full)
        window.ended()
        #expect(window.next(full: nil, draft: Self.start, at: Self.start) == nil, "still two")
        window.ended()
        #expect(window.next(full: nil, draft: Self.start, at: Self.start) == .draft)
    }

    @Test func aMissingReplyDelaysADraftOnlyUntilTheHoldLimit() {
        let window = window(inFlight: ClientLimits.getMessagesAtOnce)
        let before = Instant(nanoseconds: Self.holdEnd.nanoseconds - 1)
        #expect(window.holdEnd(draft: Self.start) == Self.holdEnd)
        #expect(window.next(full: nil, draft: Self.start, at: before) == nil)
        #expect(window.next(full: nil, draft: Self.start, at: Self.holdEnd) == .draft)
    }

    /// Four on their way, one answered every 0.2 ms, and always a full one to take its place.
    @Test func fullMessagesThatKeepComingDoNotProlongTheHoldOfOthers() {
        var window = window(inFlight: 4)
        var wentAt: Instant?
        for step in 0..<5_000 where wentAt == nil {
            let now = Self.after(Int64(step) * 200)
            window.ended()
            while wentAt == nil, window.inFlightCount < 4 {
                switch window.next(full: now, draft: Self.start, at: now) {
                case .full: window.sent()
                case .draft: wentAt = now
                case nil: break
                }
            }
        }
        #expect(wentAt == Self.holdEnd)
    }

    @Test func messagesHeldTogetherGoTogether() {
        var window = window(inFlight: 4)
        var drafts = [Self.start, Self.after(100), Self.after(200), Self.after(300)]
        let now = Self.after(1_300)
        while window.next(full: nil, draft: drafts.first, at: now) == .draft {
            window.sent()
            drafts.removeFirst()
        }
        #expect(drafts.isEmpty, "each has a millisecond of its own, not one after the other")
    }

    @Test func whatWasBegunFirstGoesFirst() {
        let window = window(inFlight: ClientLimits.getMessagesMax - 1)
        let late = Self.after(5_000)
        #expect(window.next(full: Self.after(1), draft: Self.start, at: late) == .draft)
        #expect(window.next(full: Self.start, draft: Self.after(1), at: late) == .full)
        #expect(
            window.next(full: Self.after(1), draft: Self.start, at: Self.after(2)) == .full,
            "one that is held keeps no full one back")
    }

    @Test func aShardWithAFullWindowIsSentNothingBeforeItAnswers() {
        var window = window(inFlight: ClientLimits.getMessagesMax)
        let late = Self.start.advanced(by: .seconds(60))
        #expect(window.next(full: Self.start, draft: Self.start, at: late) == nil)
        #expect(window.holdEnd(draft: Self.start) == nil, "no time would let it go")
        window.ended()
        #expect(window.next(full: Self.start, draft: nil, at: late) == .full)
    }
}
