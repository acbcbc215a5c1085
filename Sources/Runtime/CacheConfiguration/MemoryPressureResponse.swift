/// What a node does while memory is short.
package enum MemoryPressureResponse: String, CaseIterable, Sendable {
    /// It evicts below its configured memory before the kernel ends it, and grows back after.
    case react
    /// It keeps its configured memory.
    case ignore
}
