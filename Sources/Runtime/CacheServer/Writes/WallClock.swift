#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Calendar time, for how long writes have waited over restarts. No decision hangs on it.
enum WallClock {
    /// Since 1970, to a second.
    static var milliseconds: UInt64 { UInt64(max(0, time(nil))) * 1_000 }
}
