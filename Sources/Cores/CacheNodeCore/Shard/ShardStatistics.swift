/// Counters of one shard since it started. A plain value.
package struct ShardStatistics: Equatable, Sendable {
    package var messages: UInt64 = 0
    package var reads = ReadStatistics()
    package var sets: UInt64 = 0
    package var stored: UInt64 = 0
    /// Entries renewed by the origin's confirmation.
    package var renewed: UInt64 = 0
    package var removes: UInt64 = 0
    package var touches: UInt64 = 0
    /// Strong reads: messages that waited for the publisher's head.
    package var headWaits: UInt64 = 0
    /// Messages answered that a limit is reached, but for rate budgets.
    package var busy: UInt64 = 0
    /// Messages answered that another shard owns their keys, or will in a moment.
    package var moved: UInt64 = 0
    /// Messages refused as a whole, with an answer: malformed, other versions, limits.
    package var refusedMessages: UInt64 = 0
    /// Messages refused because the table of namespaces is full.
    package var refusedNamespaces: UInt64 = 0
    package var appliedRecords: UInt64 = 0
    package var forgotten: UInt64 = 0
    /// Records of a form that this release cannot read.
    package var newerRecords: UInt64 = 0
    /// Times the memory budget was lowered.
    package var memoryShrinks: UInt64 = 0

    /// Entries copied from another node, and entries given to another node.
    package var copies: UInt64 = 0
    package var copiesGiven: UInt64 = 0

    package init() {}
}

/// Counters of gets: of one message until it is answered, or of a shard since it started.
package struct ReadStatistics: Equatable, Sendable {
    package var gets: UInt64 = 0
    package var hits: UInt64 = 0
    package var staleHits: UInt64 = 0
    package var misses: UInt64 = 0
    /// Also of other messages that could not be answered in time.
    package var behind: UInt64 = 0
    package var tokens: UInt64 = 0
    /// Askers of a token that have to wait for another's load.
    package var tokenWaits: UInt64 = 0
    /// Keys prefetched, and those of them that were already held, fresh.
    package var prefetches: UInt64 = 0
    package var prefetchesFresh: UInt64 = 0
    /// Answers from a load, negative ones, stale ones because the origin did not answer, and
    /// failures.
    package var loadedHits: UInt64 = 0
    package var negativeHits: UInt64 = 0
    package var fallbacks: UInt64 = 0
    package var failedReads: UInt64 = 0

    /// Adds the counters of an answered message.
    ///
    /// - Parameter isPlain: whether a hit of it is counted as nothing else.
    @inline(__always)
    mutating func add(_ message: ReadStatistics, isPlain: Bool) {
        gets += message.gets
        hits += message.hits
        guard !isPlain || message.hits < message.gets else { return }
        addOthers(message)
    }

    @inline(never)
    private mutating func addOthers(_ message: ReadStatistics) {
        staleHits += message.staleHits
        misses += message.misses
        behind += message.behind
        tokens += message.tokens
        tokenWaits += message.tokenWaits
        prefetches += message.prefetches
        prefetchesFresh += message.prefetchesFresh
        loadedHits += message.loadedHits
        negativeHits += message.negativeHits
        fallbacks += message.fallbacks
        failedReads += message.failedReads
    }
}
