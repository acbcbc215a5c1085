package import CacheModel
import Threading

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a tier has to know of the machine when it begins: whether it is still the same boot, and
/// if not, how long the machine was off.
package struct BootFacts: Equatable, Sendable {
    /// The 16 bytes that name this boot of the machine; containers share them. `nil` if the system
    /// does not tell: then it is like no other boot, not even one that was not told either.
    package let boot: [UInt8]?
    /// The boot's clock: it goes on while the machine sleeps.
    package let now: Instant
    /// The calendar's time, in milliseconds since 1970. Anybody may set it.
    package let calendarMilliseconds: UInt64

    /// How it is at this moment.
    package static var current: BootFacts {
        var calendar = timespec()
        clock_gettime(CLOCK_REALTIME, &calendar)
        let milliseconds = Int64(calendar.tv_sec) * 1_000 + Int64(calendar.tv_nsec) / 1_000_000
        return BootFacts(
            boot: bootText().flatMap(bytes), now: MonotonicClock.now,
            calendarMilliseconds: UInt64(max(0, milliseconds)))
    }

    /// A boot's name as the system writes it: 32 hexadecimal digits with hyphens between.
    ///
    /// - Returns: `nil` for anything else.
    static func bytes(of text: String) -> [UInt8]? {
        let digits = text.filter { $0 != "-" && !$0.isWhitespace }.compactMap(\.hexDigitValue)
        guard digits.count == 32 else { return nil }
        return (0..<16).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
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
