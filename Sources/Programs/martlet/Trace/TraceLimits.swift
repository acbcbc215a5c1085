/// Bounds of reading a trace, side by side.
enum TraceLimits {
    /// Longest line that is looked at; a longer one is malformed, and never held in memory.
    static let lineBytesMax = 16_384
    /// Longest key, as for every key of the cache.
    static let keyBytesMax = 4_096
    /// Most requests of one trace: they take 8 bytes each, 16 GiB in all.
    static let requestsMax = 1 << 31
    /// What is read at once.
    static let pieceBytes = 1 << 20
    /// How many pieces after a malformed line are unpacked to learn whether the file is damaged.
    static let drainedPiecesMax = 256
    /// Most parts that a cache is cut into.
    static let shards = 1...1_024
}
