/// A period of a gate. A new one begins when the breaker opens and when the origin's address
/// changes: attempts started earlier say nothing about the origin after that.
struct GateEra: Equatable, Sendable {
    private var number: UInt64 = 0

    mutating func turn() { number += 1 }
}
