/// What a gateway asks its cluster for, one key each where it is about keys.
enum ClusterOperation: Int, CaseIterable, Sendable {
    case get, set, delete, invalidate, count

    var label: String { "\(self)" }
}
