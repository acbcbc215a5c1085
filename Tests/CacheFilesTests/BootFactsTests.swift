import CacheFiles
import CacheModel
import Foundation
import Testing

@Suite struct BootFactsTests {
    @Test func theBootIsTheSameAndItsClockGoesOn() throws {
        let (before, after) = (BootFacts.current, BootFacts.current)
        #expect(before.boot == after.boot && before.boot?.count == 16)
        #expect(before.boot != [UInt8](repeating: 0, count: 16))
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
            let bytes = try #require(BootFacts.current.boot)
            #expect(bytes.map { String(format: "%02x", $0) }.joined() == digits)
        }
    #endif
}
