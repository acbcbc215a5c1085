/// The limits of a driver's phase.
struct DriverWork: Sendable {
    let stop: StopSignal
    /// No request is sent from then on; the end of time if only the count ends the phase.
    var endsAt: UInt64
    /// Most operations to begin.
    var operationCount: Int
    /// Whether every operation is sent at once in its own message, whatever the capacity of the
    /// message: only the keys of one scan share one.
    var flushesEachOperation = false
}
