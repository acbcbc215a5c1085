/// The index of a namespace's gate in its scheduler. Reused after a namespace has lost its origin.
struct GateNumber: Hashable, Sendable {
    let index: Int
}
