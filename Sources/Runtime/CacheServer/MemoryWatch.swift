import CacheConfiguration
import CacheModel
import CacheNodeCore
import Logging
import Threading

/// Keeps a node's memory budget: reads the kernel's files for the governor and tells the shards
/// what it decides. Belongs to the control thread.
struct MemoryWatch {
    struct Setup: Sendable {
        /// What all shards may take together while memory is not short.
        var memoryBytes: Int
        /// Where `/proc` is; empty but in tests.
        var kernelRoot = ""
    }

    private var governor: BudgetGovernor
    private let kernel: KernelMemory
    private let shards: [Mailbox<ShardLetter>]
    private let logger: Logger
    private var actions: [BudgetGovernor.Action] = []

    init(_ setup: Setup, shards: [Mailbox<ShardLetter>], logger: Logger) {
        governor = BudgetGovernor(
            configuredBytes: setup.memoryBytes, shardCount: shards.count)
        kernel = KernelMemory(root: setup.kernelRoot)
        self.shards = shards
        self.logger = logger
    }

    var nextDeadline: Instant? { governor.nextDeadline }

    /// Before the shards hold anything.
    mutating func start(now: Instant) {
        governor.start(now: now, into: &actions)
        perform(now: now)
    }

    mutating func tick(now: Instant) {
        governor.tick(now: now, into: &actions)
        perform(now: now)
    }

    mutating func measured(_ shard: ShardIndex, residentBytes: Int, now: Instant) {
        governor.measured(shard, residentBytes: residentBytes, into: &actions)
        perform(now: now)
    }

    private mutating func perform(now: Instant) {
        while !actions.isEmpty {
            let due = actions
            actions.removeAll(keepingCapacity: true)
            for action in due {
                switch action {
                case .measureShards: for shard in shards { shard.post(.measureMemory) }
                case .readKernel: governor.read(kernel.read(), now: now, into: &actions)
                case .setBudget(let bytes):
                    for shard in shards {
                        shard.post(.memoryBudget(bytes: bytes / shards.count))
                    }
                case .report(let report): BudgetReportLog.write(report, to: logger)
                }
            }
        }
    }
}

/// What is reported of the memory budget, as lines for operators.
enum BudgetReportLog {
    static func write(_ report: BudgetReport, to logger: Logger) {
        switch report {
        case .nothingToWatch:
            logger.debug(
                "memory pressure is not watched: this system has neither cgroups nor /proc")
        case .tooMuchConfigured(let bytes, let bound, let budget):
            logger.warning(
                """
                memory \(size(bytes)) is more than \(name(of: bound)) of \
                \(size(bound.limitBytes)); using \(size(budget)): lower --memory or raise the \
                limit
                """)
        case .changed(let from, let to, let cause):
            let verb = to < from ? "shrinks" : "grows"
            logger.notice(
                "the memory budget \(verb) from \(size(from)) to \(size(to)): \(reason(cause))")
        case .atFloor(let bytes, let bound):
            logger.warning(
                """
                the memory budget is as low as it goes, \(size(bytes)), and \(name(of: bound)) of \
                \(size(bound.limitBytes)) is nearly in use all the same: \
                \(size(bound.usedBytes)); something else takes the memory
                """)
        }
    }

    private static func reason(_ cause: BudgetReport.Cause) -> String {
        switch cause {
        case .limit(let bound):
            """
            of \(name(of: bound)) of \(size(bound.limitBytes)) \(size(bound.usedBytes)) are in use
            """
        case .stalls(let share):
            "all tasks waited for memory for \(Int(share * 100)) % of the time"
        case .calm: "there is room again"
        }
    }

    private static func name(of bound: MemorySample.Bound) -> String {
        switch bound.place {
        case .cgroup: "the cgroup's limit"
        case .machine: "the machine's memory"
        }
    }

    /// Rounded down to what a reader takes in.
    private static func size(_ bytes: Int) -> String {
        let unit = bytes < 16 << 20 ? 1 << 10 : 1 << 20
        return ByteSizeText.format(bytes < unit ? bytes : bytes / unit * unit)
    }
}
