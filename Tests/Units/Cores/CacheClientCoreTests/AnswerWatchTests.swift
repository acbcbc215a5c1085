import CacheClientCore
import CacheModel
import Testing

/// What a client makes of a shard's silence.
@Suite struct AnswerWatchTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private static let quiet = Int64(ClientLimits.quietMax.wholeMilliseconds)
    private static let silence = Int64(ClientLimits.silenceMax.wholeMilliseconds)

    /// A shard that was asked at 0 and has said nothing since.
    private func silent(at end: Int64) -> AnswerWatch {
        var watch = AnswerWatch()
        watch.sent(at: at(0))
        while let due = watch.due, due <= at(end) { _ = watch.look(at: due) }
        return watch
    }

    @Test func aShardThatOwesNothingIsNeverSuspected() {
        var watch = AnswerWatch()
        #expect(watch.due == nil && watch.look(at: at(1_000_000)) == nil)
        watch.sent(at: at(0))
        watch.ended()
        watch.heard(at: at(2))
        #expect(watch.due == nil && watch.look(at: at(1_000_000)) == nil)
        #expect(watch.takesRequests)
    }

    @Test func aSilentShardIsProbedThenSuspectAndRequestsWaitInBetween() {
        var watch = AnswerWatch()
        watch.sent(at: at(0))
        #expect(watch.look(at: at(Self.quiet - 1)) == nil && watch.takesRequests)
        #expect(watch.look(at: at(Self.quiet)) == .probe)
        #expect(watch.standing == .quiet && !watch.takesRequests)
        watch.sent(at: at(Self.quiet))
        #expect(watch.look(at: at(Self.silence - 1)) == nil)
        #expect(watch.look(at: at(Self.silence)) == .fellSilent)
        #expect(watch.standing == .suspect && !watch.takesRequests)
    }

    @Test func aSlowRequestBesideAnAnsweredProbeIsNoSilence() {
        var watch = AnswerWatch()
        watch.sent(at: at(0))
        for second in 0..<10 {
            let base = Int64(second) * (Self.quiet + 1)
            #expect(watch.look(at: at(base + Self.quiet)) == .probe)
            watch.sent(at: at(base + Self.quiet))
            watch.ended()
            watch.heard(at: at(base + Self.quiet + 1))
            #expect(watch.takesRequests)
        }
    }

    @Test func anyFrameEndsTheSilence() {
        var watch = silent(at: 60_000)
        #expect(watch.standing == .suspect)
        watch.heard(at: at(60_001))
        #expect(watch.takesRequests)
        #expect(watch.due == at(60_001 + Self.quiet), "it still owes the first answer")
    }

    /// With a timeout of 100 ms nothing is open when the silence is over.
    @Test func requestsThatAreGivenUpDoNotHideTheSilence() {
        var watch = AnswerWatch()
        var actions: [AnswerWatch.Action] = []
        for moment in stride(from: Int64(0), through: Self.silence, by: 100) {
            if let action = watch.look(at: at(moment)) { actions.append(action) }
            if watch.takesRequests {
                watch.sent(at: at(moment))
                watch.ended()
            }
        }
        #expect(actions == [.probe, .fellSilent])
    }

    @Test func probesOfASuspectComeEverMoreRarely() {
        var watch = silent(at: Self.silence)
        var pauses: [Duration] = []
        var last = at(Self.silence)
        for _ in 0..<6 {
            let due = watch.due ?? last
            pauses.append(due.elapsed(since: last))
            #expect(watch.look(at: due) == .probe && watch.standing == .suspect)
            last = due
        }
        #expect(
            pauses == [250, 500, 1_000, 2_000, 2_000, 2_000].map { Duration.milliseconds($0) })
    }

    @Test func aClientThatWasAsleepItselfSuspectsNoShard() {
        var watch = AnswerWatch()
        watch.sent(at: at(0))
        #expect(watch.look(at: at(60_000)) == .probe, "it slept for a minute")
        watch.sent(at: at(60_000))
        #expect(watch.look(at: at(200_000)) == .probe, "and again")
        #expect(watch.standing == .quiet)
        #expect(watch.look(at: at(200_000 + Self.quiet - 1)) == nil)
        #expect(watch.look(at: at(200_000 + Self.quiet)) == .fellSilent)
    }

    @Test func aNodeThatThePublisherDoesNotHearIsDoubtedSooner() {
        for state in [nil, NodeState.suspect] {
            var watch = AnswerWatch()
            watch.isSaid(state)
            watch.sent(at: at(0))
            #expect(watch.look(at: at(0)) == .probe)
            let end = Int64(ClientLimits.silenceOfAwayMax.wholeMilliseconds)
            #expect(watch.look(at: at(end)) == .fellSilent)
        }
        var live = AnswerWatch()
        live.isSaid(.live)
        live.sent(at: at(0))
        #expect(live.look(at: at(0)) == nil)
    }

    /// The publisher may be the one that is cut off.
    @Test func theShardsOwnWordIsWorthMoreThanTheTopologys() {
        var watch = AnswerWatch()
        watch.isSaid(nil)
        watch.sent(at: at(0))
        watch.ended()
        watch.heard(at: at(1))
        watch.sent(at: at(10))
        #expect(watch.look(at: at(10)) == nil && watch.takesRequests)
    }

    @Test func aPublisherThatIsOneOfSeveralIsLeftSooner() {
        var watch = AnswerWatch()
        watch.isOneOfSeveral = true
        let silence = Int64(ClientLimits.publisherSilenceMax.wholeMilliseconds)
        watch.sent(at: at(0))
        #expect(watch.look(at: at(Self.quiet)) == .probe)
        #expect(watch.look(at: at(silence - 1)) == nil)
        #expect(watch.look(at: at(silence)) == .fellSilent)
    }
}
