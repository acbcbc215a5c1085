extension Duration {
    /// This duration in milliseconds, rounded up so that a short wait does not become none, and
    /// cut off at what 32 bits hold (24 days). Refuses a negative duration.
    var wholeMilliseconds: CInt {
        precondition(self >= .zero, "a wait does not end before it begins")
        guard self < .milliseconds(CInt.max) else { return CInt.max }
        let (seconds, attoseconds) = components
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        let started = attoseconds.quotientAndRemainder(dividingBy: attosecondsPerMillisecond)
        return CInt(seconds * 1_000 + started.quotient + (started.remainder > 0 ? 1 : 0))
    }
}
