/// Counters of a node's control thread since it started. A plain value: copy it, subtract two.
package struct NodeControlStatistics: Hashable, Sendable {
    package var appliedRecords = 0
    package var replayedRecords = 0
    /// Records of a form that this release cannot read.
    package var newerRecords = 0
    package var replayRequests = 0
    package var gaps = 0
    package var forgettings = 0
    /// Forgettings after which the publisher reported floors.
    package var floorSnapshots = 0
    package var divergences = 0
    package var resubscriptions = 0
    package var greetings = 0
    package var damagedFrames = 0
    package var publishes = 0
    /// Head requests sent; several reads may share one.
    package var headQuestions = 0
    package var publishFailures = 0
    /// Leases given up because the machine may have been paused.
    package var calendarJumps = 0

    package init() {}

    /// The counters by name.
    package var figures: [(name: String, value: UInt64)] {
        [
            ("applied_records", appliedRecords), ("replayed_records", replayedRecords),
            ("newer_records", newerRecords), ("replay_requests", replayRequests),
            ("gaps", gaps), ("forgettings", forgettings), ("floor_snapshots", floorSnapshots),
            ("divergences", divergences), ("resubscriptions", resubscriptions),
            ("greetings", greetings), ("damaged_frames", damagedFrames),
            ("publishes", publishes), ("head_questions", headQuestions),
            ("publish_failures", publishFailures), ("calendar_jumps", calendarJumps),
        ].map { ($0.0, UInt64($0.1)) }
    }
}
