/// Counters of a ``StandingCheck``, besides those of answers.
package struct StandingTally: Hashable, Sendable {
    /// Records of the log, and keys that they name.
    package internal(set) var recordCount = 0
    package internal(set) var keyCount = 0
    package internal(set) var sampledCount = 0
    /// Keys that other parts of the checkers take, keys beyond the rate, and keys without capacity.
    package internal(set) var elsewhereCount = 0
    package internal(set) var leftOutCount = 0
    package internal(set) var noRoomCount = 0
    /// Invalidations of a tag, a prefix, a namespace or everything; and those without a known key
    /// to sample.
    package internal(set) var wideCount = 0
    package internal(set) var wideUnsampledCount = 0
    /// Records of a later release with unreadable scopes.
    package internal(set) var unreadableCount = 0
    /// How often a part of the log was lost, and how many samples were given up because of it.
    package internal(set) var lossCount = 0
    package internal(set) var doubtfulCount = 0
    /// Looks at which two nodes showed different versions, both as fresh, twice in a row.
    package internal(set) var differingCount = 0
    package internal(set) var wrongCount = 0

    package init() {}
}
