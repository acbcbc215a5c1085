/// Memory bounds of a ``StandingCheck``; all of it stays below some tens of megabytes.
package enum StandingLimits {
    /// Samples with a look still ahead. Keys beyond that are counted and not sampled.
    package static let openSamplesMax = 16_384
    /// Delays after which nodes are asked.
    package static let delayCountMax = 8
    /// Lines of one sample's history; after the first half, new lines replace the middle.
    package static let eventsPerSampleMax = 48
    /// Keys to remember, for samples of invalidated tags, prefixes, namespaces or everything.
    package static let seenKeysMax = 4_096
    /// How many of those are tried for one such invalidation, and how many are sampled.
    package static let seenKeysTried = 256
    package static let samplesPerCover = 4
    /// Keys that nodes showed as fresh, and that may yet be compared with their origin.
    package static let candidatesMax = 256
    /// Differences from an origin that wait for their second look.
    package static let doubtsMax = 256
    /// Time after which a difference from an origin is checked once more.
    package static let secondComparisonAfter = Duration.seconds(5)
    /// Violations that are kept with their history; the rest are counted.
    package static let violationsKept = 16
}
