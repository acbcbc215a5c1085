/// How much a ``StandingCheck`` keeps. All of it together stays below some tens of megabytes.
package enum StandingLimits {
    /// Samples whose last look is not over. What finds no room is counted and not sampled.
    package static let openSamplesMax = 16_384
    /// Delays after which nodes are asked.
    package static let delayCountMax = 8
    /// Lines of one sample's history; what comes after the first half pushes out the middle.
    package static let eventsPerSampleMax = 48
    /// Keys that are remembered, to be sampled when a tag, a prefix, a namespace or everything is
    /// invalidated.
    package static let seenKeysMax = 4_096
    /// Of those, how many are looked at for one such invalidation, and how many are sampled.
    package static let seenKeysTried = 256
    package static let samplesPerCover = 4
    /// Keys that were found shown and may yet be held against their origin.
    package static let candidatesMax = 256
    /// Differences from an origin that wait for their second look.
    package static let doubtsMax = 256
    /// After so long a difference from an origin is looked at once more.
    package static let secondComparisonAfter = Duration.seconds(5)
    /// Violations whose history is kept; the rest are counted.
    package static let violationsKept = 16
}
