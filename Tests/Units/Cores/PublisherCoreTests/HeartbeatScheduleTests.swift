import CacheModel
import Testing

@testable import PublisherCore

@Suite struct HeartbeatScheduleTests {
    private static let interval: Duration = .milliseconds(500)

    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    /// A schedule whose last heartbeat was sent at second 1.
    private static func sent() -> HeartbeatSchedule {
        var schedule = HeartbeatSchedule(now: at(0))
        schedule.end(isSent: true, interval: interval, now: at(1_000))
        return schedule
    }

    @Test func aHeartbeatIsDueAtTheStartAndThenAfterTheInterval() {
        #expect(HeartbeatSchedule(now: Self.at(0)).isDue(at: Self.at(0)))
        let schedule = Self.sent()
        #expect(!schedule.isDue(at: Self.at(1_499)))
        #expect(schedule.isDue(at: Self.at(1_500)))
    }

    @Test func aRequestedHeartbeatKeepsItsDistanceToTheLastOne() {
        var schedule = Self.sent()
        schedule.requestSoon(now: Self.at(1_001))
        #expect(schedule.next == Self.at(1_020))
        schedule.requestSoon(now: Self.at(1_010))
        #expect(schedule.next == Self.at(1_020), "the first request counts")
        schedule = Self.sent()
        schedule.requestSoon(now: Self.at(1_300))
        #expect(schedule.next == Self.at(1_300))
    }

    @Test func aTurnInWhichNoneCouldBeSentDelaysNoRequest() {
        var schedule = HeartbeatSchedule(now: Self.at(0))
        schedule.end(isSent: false, interval: Self.interval, now: Self.at(1_000))
        schedule.requestSoon(now: Self.at(1_001))
        #expect(schedule.next == Self.at(1_001))
    }
}
