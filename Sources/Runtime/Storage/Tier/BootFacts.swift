package import CacheDisk
package import CacheModel
import LibC
import Threading

/// What a tier has to know of the machine when it begins: whether it is still the same boot, and
/// if not, how long the machine was off.
package struct BootFacts: Equatable, Sendable {
    /// Which boot of the machine this is; containers share it. `nil` if the system does not tell:
    /// then it is like no other boot, not even one that was not told either.
    package let boot: BootID?
    /// The boot's clock: it goes on while the machine sleeps.
    package let now: Instant
    /// The calendar's time, in milliseconds since 1970. An administrator may set it.
    package let calendarMilliseconds: UInt64

    /// How it is at this moment.
    package static var current: BootFacts {
        var calendar = timespec()
        clock_gettime(CLOCK_REALTIME, &calendar)
        let milliseconds = Int64(calendar.tv_sec) * 1_000 + Int64(calendar.tv_nsec) / 1_000_000
        return BootFacts(
            boot: bootText().flatMap(bootID), now: MonotonicClock.now,
            calendarMilliseconds: UInt64(max(0, milliseconds)))
    }

    /// A boot's name as the system writes it: 32 hexadecimal digits with hyphens between.
    ///
    /// - Returns: `nil` for anything else.
    static func bootID(_ text: String) -> BootID? {
        let digits = text.filter { $0 != "-" && !$0.isWhitespace }.compactMap(\.hexDigitValue)
        guard digits.count == 32 else { return nil }
        func integer(_ digits: ArraySlice<Int>) -> UInt64 {
            digits.reduce(0) { $0 << 4 | UInt64($1) }
        }
        return BootID(high: integer(digits[..<16]), low: integer(digits[16...]))
    }

    private static func bootText() -> String? {
        var text = [UInt8](repeating: 0, count: 64)
        #if canImport(Darwin)
            var count = text.count
            guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else {
                return nil
            }
        #else
            let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard read(descriptor, &text, text.count) > 0 else { return nil }
        #endif
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
}
