import CacheModel
import CacheNodeCore
import Logging
import Threading

/// Keeps a node's memory budget: reads the kernel's files for the governor and tells the shards
/// what it decides. Belongs to the control thread.
struct MemoryWatch {
    /// What it is made from.
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
