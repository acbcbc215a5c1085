/// What a driver is to do in a phase, beside the requests themselves.
struct DriverWork: Sendable {
    let stop: StopSignal
    /// Nothing is sent from then on; the end of time if only the count ends it.
    var endsAt: UInt64
    /// So many operations are begun at most.
    var operationCount: Int
    /// Whether every operation leaves at once in a message of its own, whatever room the message
    /// has: the keys of a scan travel together, and nothing else with them.
    var flushesEachOperation = false
}
