/// Removal causes of entries, by their names in the figures of STATUS.
enum RemovalCauseWord {
    static let all = ["evicted", "expired", "invalidated", "replaced", "forgotten"]
}
