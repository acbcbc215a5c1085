/// Where the gate of a namespace lies in its desk. Used again once a namespace has no origin.
struct GateNumber: Hashable, Sendable {
    let index: Int
}
