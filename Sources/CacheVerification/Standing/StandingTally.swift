/// What a ``StandingCheck`` has seen so far, beside the answers.
package struct StandingTally: Hashable, Sendable {
    /// Records of the log, and keys that they name.
    package internal(set) var recordCount = 0
    package internal(set) var keyCount = 0
    package internal(set) var sampledCount = 0
    /// Keys that another part of the checkers takes, that the rate leaves out, or that there was
    /// no room for.
    package internal(set) var elsewhereCount = 0
    package internal(set) var leftOutCount = 0
    package internal(set) var noRoomCount = 0
    /// Invalidations of a tag, a prefix, a namespace or everything; and those of which no key was
    /// known that could be looked at.
    package internal(set) var wideCount = 0
    package internal(set) var wideUnsampledCount = 0
    /// Records of a later release, whose scopes cannot be read.
    package internal(set) var unreadableCount = 0
    /// How often a part of the log could not be had, and samples given up for it.
    package internal(set) var lossCount = 0
    package internal(set) var doubtfulCount = 0
    /// Looks at which two nodes showed different versions, both as fresh, twice in a row.
    package internal(set) var differingCount = 0
    package internal(set) var wrongCount = 0

    package init() {}
}
