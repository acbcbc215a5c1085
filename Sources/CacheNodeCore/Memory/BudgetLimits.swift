import CacheModel

/// Every bound by which a node's memory budget is governed.
package enum BudgetLimits {
    /// Between two readings …
    package static let readInterval = Duration.seconds(1)
    /// … and where less is free than `urgentRoomShare` of a bound: a neighbour may take hundreds of
    /// MiB in a second.
    package static let urgentReadInterval = Duration.milliseconds(100)
    package static let urgentRoomShare = 0.25
    /// More than this is not little, however large the bound.
    package static let urgentRoomBytesMax = 4 << 30
    /// Least time over which a share of stalls is told.
    package static let stallWindowMin = Duration.milliseconds(500)

    /// Share of a cgroup's limit that is kept free: for what the process takes beside entries, and
    /// for what comes between two readings.
    package static let headroomShare = 0.1
    /// The same of a machine, of whose free memory the kernel itself thinks carefully.
    package static let machineHeadroomShare = 0.05
    /// No more than this is kept free, however large the limit.
    package static let headroomBytesMax = 2 << 30
    /// Share of the headroom by which the budget may be off, either way, before it is changed.
    package static let slackShare = 0.25

    /// The budget never falls below this share of the configured memory, or of the limit if that
    /// is smaller …
    package static let floorShare = 0.125
    /// … and never below this for each shard.
    package static let bytesPerShardMin = 1 << 20

    /// Share of a reading's interval in which every task waited for memory, from which the
    /// reading counts as stalled.
    package static let stallShareMax = 0.1
    /// Stalled readings in a row before the budget is cut: one may be a neighbour's start.
    package static let stalledReadingsMin = 2
    /// Share of what entries take that one such cut takes away.
    package static let stallCutShare = 0.1
    /// Above this share of stalls memory is not calm.
    package static let calmStallShareMax = 0.01

    /// How long memory must have been calm before the budget grows.
    package static let calmTimeMin = Duration.seconds(30)
    /// The same at most: it doubles when growing has brought the stalls back.
    package static let calmTimeMax = Duration.seconds(480)
    /// Between two steps of growth, and what one adds at most, as a share of the configured
    /// memory.
    package static let growthInterval = Duration.seconds(5)
    package static let growthShare = 0.0625

    /// Least time between two reports of a changed budget.
    package static let reportInterval = Duration.seconds(10)
    /// What is said to be larger counts as this: no sum of a few overflows.
    package static let bytesReach = 1 << 60

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            headroomShare > 0 && headroomShare < 1 && machineHeadroomShare > 0
                && machineHeadroomShare < 1, "a share lies between 0 and 1")
        precondition(
            urgentReadInterval < readInterval && urgentRoomShare > headroomShare,
            "who is about to be short of memory looks more often")
        precondition(urgentRoomBytesMax > headroomBytesMax, "and before its headroom is used")
        precondition(slackShare < 1, "what the budget may be off must fit into the headroom")
        precondition(
            floorShare + headroomShare < 1, "the least that is kept must fit under the limit")
        precondition(calmStallShareMax < stallShareMax, "what is calm is not stalled")
        precondition(
            growthInterval >= readInterval && calmTimeMin >= growthInterval,
            "a step of growth is judged before the next one")
        precondition(calmTimeMin <= calmTimeMax, "times are ordered")
    }
}
