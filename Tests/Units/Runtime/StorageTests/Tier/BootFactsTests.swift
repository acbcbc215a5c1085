import CacheDisk
import Storage
import CacheModel
import Foundation
import Testing

@Suite struct BootFactsTests {
    @Test func theBootIsTheSameAndItsClockGoesOn() throws {
        let (before, after) = (BootFacts.current, BootFacts.current)
        #expect(before.boot == after.boot && before.boot != nil)
        #expect(before.boot != BootID(high: 0, low: 0))
        #expect(before.now <= after.now && before.now > Instant(nanoseconds: 0))
    }

    @Test func theCalendarCountsFrom1970() {
        let now = Date().timeIntervalSince1970 * 1_000
        let then = Double(BootFacts.current.calendarMilliseconds)
        #expect(abs(then - now) < 60_000)
    }

    #if os(Linux)
        @Test func theNameIsReadAsTheSystemWritesIt() throws {
            let text = try String(
                contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            let digits = text.filter { $0.isHexDigit }
            let boot = try #require(BootFacts.current.boot)
            #expect(String(format: "%016lx%016lx", boot.high, boot.low) == digits)
        }
    #endif
}
