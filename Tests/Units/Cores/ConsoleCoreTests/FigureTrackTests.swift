import CacheModel
import Testing

@testable import ConsoleCore

@Suite struct FigureTrackTests {
    private static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: UInt64(seconds * 1e9))
    }

    private static func track(_ readings: [[[String: UInt64]]]) -> FigureTrack {
        var track = FigureTrack()
        for (second, parts) in readings.enumerated() { track.read(parts, now: at(Double(second))) }
        return track
    }

    @Test func aRateIsTheRiseOfAllPartsInASecond() {
        let track = Self.track([[["gets": 10], ["gets": 5]], [["gets": 30], ["gets": 8]]])
        #expect(track.rate("gets") == 23)
        #expect(track.rate("gets", part: 1) == 3)
        #expect(track.sum("gets") == 38)
    }

    @Test func aCounterThatBeganAnewHasNoRate() {
        #expect(Self.track([[["gets": 10]], [["gets": 3]]]).rate("gets") == nil)
        let one: [String: UInt64] = ["gets": 10, "incarnation": 1]
        let other: [String: UInt64] = ["gets": 30, "incarnation": 2]
        #expect(Self.track([[one], [other]]).rate("gets") == nil)
        #expect(Self.track([[["gets": 1]], [["gets": 2], ["gets": 2]]]).rate("gets") == nil)
        #expect(Self.track([[["gets": 1]]]).rate("gets") == nil)
    }

    @Test func timeThatStandsStillMakesNoRate() {
        var track = FigureTrack()
        track.read([["gets": 1]], now: Self.at(1))
        track.read([["gets": 9]], now: Self.at(1))
        #expect(track.rate("gets") == nil)
    }

    @Test func aHitRatioNeedsLookups() {
        let idle: [String: UInt64] = ["hits": 5, "stale_hits": 0, "misses": 5]
        #expect(HitShare.recent(Self.track([[idle], [idle]])) == nil)
        #expect(HitShare.whole(Self.track([[idle]])) == 0.5)
    }

    @Test func aNodeIsBehindSinceTheFirstRecordThatItLacks() {
        var trail = HeadTrail()
        for second in 1...5 {
            trail.saw(ConsoleCoreTests.at(UInt64(second) * 10), now: Self.at(Double(second)))
        }
        #expect(trail.delay(at: ConsoleCoreTests.at(50), now: Self.at(9)) == .zero)
        #expect(trail.delay(at: ConsoleCoreTests.at(25), now: Self.at(9)) == .seconds(6))
        #expect(trail.lag(at: ConsoleCoreTests.at(25)) == 25)
        // What the publisher said before the stream told more comes late, and takes nothing away.
        trail.saw(ConsoleCoreTests.at(45), now: Self.at(9))
        #expect(trail.delay(at: ConsoleCoreTests.at(25), now: Self.at(9)) == .seconds(6))
        #expect(trail.lag(at: ConsoleCoreTests.at(25)) == 25)
        let other = LogPosition(epoch: Epoch(2), sequence: SequenceNumber(1))
        #expect(trail.delay(at: other, now: Self.at(9)) == nil)
    }

    @Test func aMinuteIsShownInAsManyPartsAsFit() {
        var history = ClusterHistory()
        for second in 0..<90 {
            history.add(
                ClusterHistory.Moment(
                    at: Self.at(Double(second)),
                    totals: ClusterTotals(gets: second < 60 ? nil : 8)))
        }
        #expect(history.moments.count <= 61)
        let means = history.means({ $0.gets }, in: 6, now: Self.at(89.5))
        #expect(Sparkline.text(means) == "   ███")
        #expect(Sparkline.text([0, 1, 4, 8, nil], most: 8) == "▁▁▄█ ")
    }
}
