/// Operations that a gateway sends to its cluster, counted per key.
enum ClusterOperation: Int, CaseIterable, Sendable {
    case get, set, delete, invalidate, count

    var label: String { "\(self)" }
}
