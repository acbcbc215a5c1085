import CacheModel

/// Bounds of the memory budget.
package enum BudgetLimits {
    /// Interval of readings …
    package static let readInterval = Duration.seconds(1)
    /// … and while less is free than `urgentRoomShare` of a bound: a neighbour may allocate
    /// hundreds of MiB in a second.
    package static let urgentReadInterval = Duration.milliseconds(100)
    package static let urgentRoomShare = 0.25
    /// More free memory than this is never urgent, however large the bound.
    package static let urgentRoomBytesMax = 4 << 30
    /// Minimum time over which a share of stalls is computed.
    package static let stallWindowMin = Duration.milliseconds(500)

    /// Share of a cgroup's limit that is kept free: for memory of the process other than entries,
    /// and for allocations between two readings.
    package static let headroomShare = 0.1
    /// The same of a machine, whose free memory the kernel itself estimates conservatively.
    package static let machineHeadroomShare = 0.05
    /// Maximum memory kept free, however large the limit.
    package static let headroomBytesMax = 2 << 30
    /// Share of the headroom by which the budget may be off, in both directions, before it is
    /// changed.
    package static let slackShare = 0.25

    /// The budget never falls below this share of the configured memory, or of the limit if that is
    /// smaller …
    package static let floorShare = 0.125
    /// … and never below this for each shard.
    package static let bytesPerShardMin = 1 << 20

    /// Share of a reading's interval in which every task waited for memory, from which the
    /// reading counts as stalled.
    package static let stallShareMax = 0.1
    /// Consecutive stalled readings before the budget is reduced: a single one may be caused by a
    /// neighbour's start.
    package static let stalledReadingsMin = 2
    /// Share of the entries' size by which one such step reduces the budget.
    package static let stallCutShare = 0.1
    /// Above this share of stalls memory is not calm.
    package static let calmStallShareMax = 0.01

    /// How long memory must have been calm before the budget grows.
    package static let calmTimeMin = Duration.seconds(30)
    /// The maximum of the same: it doubles when growth has brought the stalls back.
    package static let calmTimeMax = Duration.seconds(480)
    /// Between two steps of growth, and the maximum of one step, as a share of the configured
    /// memory.
    package static let growthInterval = Duration.seconds(5)
    package static let growthShare = 0.0625

    /// Minimum time between two reports of a changed budget.
    package static let reportInterval = Duration.seconds(10)
    /// Larger sizes count as this, so that sums do not overflow.
    package static let bytesReach = 1 << 60

    /// The relations that must hold. Called by the tests.
    package static func check() {
        precondition(
            headroomShare > 0 && headroomShare < 1 && machineHeadroomShare > 0
                && machineHeadroomShare < 1, "a share lies between 0 and 1")
        precondition(
            urgentReadInterval < readInterval && urgentRoomShare > headroomShare,
            "a node that is nearly short of memory reads more often")
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
