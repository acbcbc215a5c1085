extension Duration {
    /// Whole nanoseconds, clamped to the representable range; zero if negative.
    @inlinable
    public var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow2) = scaled.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || overflow2 ? .max : sum
    }

    /// Whole milliseconds, clamped to the representable range; zero if negative.
    @inlinable
    public var wholeMilliseconds: UInt64 { wholeNanoseconds / 1_000_000 }
}
