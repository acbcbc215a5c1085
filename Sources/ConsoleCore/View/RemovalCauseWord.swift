/// Why entries left, as the figures of STATUS call it.
enum RemovalCauseWord {
    static let all = ["evicted", "expired", "invalidated", "replaced", "forgotten"]
}
