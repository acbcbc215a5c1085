import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// A machine that stood still: its own clock does not tell, its calendar may, once it is set.
@Suite struct NodeControlCorePauseTests {
    private static let start: Int64 = 1_700_000_000_000_000_000

    /// A live node that has looked at both clocks.
    private static func live() throws -> ControlStage {
        var stage = try ControlStage()
        try stage.append(5)
        try stage.becomeLive()
        _ = begin(&stage, at: 0)
        #expect(stage.core.standing.state == .live)
        return stage
    }

    /// A turn that begins when the calendar is so far from the start.
    private static func begin(_ stage: inout ControlStage, at calendar: Int64) -> [Sent] {
        let time = CalendarTime(nanoseconds: start + calendar)
        let actions = stage.perform { core, now, actions in
            core.beginTurn(calendar: time, now: now, into: &actions)
        }
        return Sent.all(in: actions)
    }

    @Test func aCalendarThatWentOnWithoutTheClockEndsTheLease() throws {
        var stage = try Self.live()
        stage.now = stage.now.advanced(by: .milliseconds(200))
        let sent = Self.begin(&stage, at: 30_200_000_000)
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.leaseExpiresAt <= stage.now)
        #expect(sent.map(\.type) == [.ping])
        #expect(stage.core.statistics.calendarJumps == 1)
    }

    @Test func theNextLeaseComesWithTheNextPing() throws {
        var stage = try Self.live()
        let before = try #require(Sent.pings(in: stage.wait(.seconds(1))).first)
        stage.now = stage.now.advanced(by: .milliseconds(1))
        let actions = stage.perform { core, now, actions in
            let time = CalendarTime(nanoseconds: Self.start + 9_000_000_000)
            core.beginTurn(calendar: time, now: now, into: &actions)
        }
        let after = try #require(Sent.pings(in: actions).first)
        stage.now = stage.now.advanced(by: .milliseconds(1))
        stage.pong(to: before)
        #expect(stage.core.standing.state == .suspect, "that was asked for before the pause")
        stage.pong(to: after)
        #expect(stage.core.standing.state == .live)
    }

    @Test(arguments: [-86_400_000_000_000, -1_000_000_000, 0, 50_000_000, 99_000_000] as [Int64])
    func aCalendarThatIsAdjustedOrGoesBackCostsNothing(nanoseconds: Int64) throws {
        var stage = try Self.live()
        for count in 1...5 as ClosedRange<Int64> {
            stage.now = stage.now.advanced(by: .milliseconds(10))
            _ = Self.begin(&stage, at: count * (nanoseconds + 10_000_000))
            #expect(stage.core.standing.state == .live)
        }
        #expect(stage.core.statistics.calendarJumps == 0)
    }

    // MARK: Until when the node could vouch

    @Test func aNodeCouldVouchUntilItsLastLeaseEnded() throws {
        var stage = try ControlStage()
        #expect(stage.core.standing.vouchedUntil == nil)
        try stage.append(5)
        try stage.becomeLive()
        let end = stage.core.standing.leaseExpiresAt
        #expect(stage.core.standing.vouchedUntil == end)
        for _ in 0..<10 {
            _ = stage.wait(.seconds(2))
            _ = stage.perform { core, now, actions in core.endTurn(now: now, into: &actions) }
        }
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.vouchedUntil == end)
    }

    @Test func aPauseSeenOnTheWallClockShortensTheVouchedTime() throws {
        var stage = try ControlStage()
        stage.now = stage.now.advanced(by: .seconds(1_000))
        try stage.append(5)
        try stage.becomeLive()
        _ = Self.begin(&stage, at: 0)
        stage.now = stage.now.advanced(by: .milliseconds(200))
        _ = Self.begin(&stage, at: 30_200_000_000)
        let end = stage.now.reversed(by: .seconds(30))
        #expect(stage.core.standing.vouchedUntil == end)
        stage.now = stage.now.advanced(by: .milliseconds(200))
        _ = Self.begin(&stage, at: 90_400_000_000)
        #expect(stage.core.standing.vouchedUntil == end.reversed(by: .seconds(60)))
    }

    @Test func aPauseLongerThanItsClockLeavesNothingToVouchFor() throws {
        var stage = try Self.live()
        stage.now = stage.now.advanced(by: .milliseconds(200))
        _ = Self.begin(&stage, at: 1_000_000_000_000_000_000)
        #expect(stage.core.standing.state == .suspect)
        #expect(stage.core.standing.vouchedUntil == nil)
    }

    @Test func clocksThatSayAnythingAreNoTrap() {
        for first in [Int64.min, -1, 0, .max] {
            for second in [Int64.min, -1, 0, .max] {
                for now in [UInt64(0), .max] {
                    var watch = PauseWatch()
                    let begun = watch.look(
                        CalendarTime(nanoseconds: first), now: Instant(nanoseconds: 0))
                    #expect(begun == nil)
                    _ = watch.look(
                        CalendarTime(nanoseconds: second), now: Instant(nanoseconds: now))
                }
            }
        }
    }
}
