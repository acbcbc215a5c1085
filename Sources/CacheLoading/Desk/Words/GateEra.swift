/// A stretch of a gate's life. A new one begins when the breaker opens and when the origin's
/// address changes: what was started before says nothing of what is there now.
struct GateEra: Equatable, Sendable {
    private var number: UInt64 = 0

    mutating func turn() { number += 1 }
}
