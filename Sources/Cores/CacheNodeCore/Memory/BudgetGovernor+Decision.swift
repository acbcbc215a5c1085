import CacheModel

/// The effect of a memory sample on the budget.
extension BudgetGovernor {
    /// The memory that one bound leaves for entries.
    struct Allowance {
        let bound: MemorySample.Bound
        /// Below zero if other memory alone exceeds the bound.
        let bytes: Int
        /// By how much the budget may differ before it is changed.
        let slackBytes: Int

        init(_ bound: MemorySample.Bound, entryBytes: Int) {
            let share =
                switch bound.place {
                case .cgroup: BudgetLimits.headroomShare
                case .machine: BudgetLimits.machineHeadroomShare
                }
            let headroom = min(
                Int(Double(bound.limitBytes) * share), BudgetLimits.headroomBytesMax)
            // The size of entries can be newer than the usage: then other memory counts as zero.
            let others = max(bound.usedBytes - entryBytes, 0)
            self.bound = bound
            bytes = bound.limitBytes - headroom - others
            slackBytes = Int(Double(headroom) * BudgetLimits.slackShare)
        }
    }

    mutating func decide(
        _ sample: MemorySample, isFirst: Bool, now: Instant, into actions: inout [Action]
    ) {
        let stallShare = stalls.share(sample.stalled, now: now)
        let entryBytes = entryBytes
        let tightest = sample.bounds.map { Allowance($0, entryBytes: entryBytes) }
            .min { $0.bytes < $1.bytes }
        let floor = floorBytes(under: tightest)
        defer { hasBounds = hasBounds || tightest != nil }
        if isFirst { warnOfExcess(sample, tightest, floor, into: &actions) }
        if let tightest, tightest.bytes < budgetBytes - (isFirst ? 0 : tightest.slackBytes) {
            calmSince = nil
            set(max(tightest.bytes, floor), .limit(tightest.bound), into: &actions)
        } else if stalls.areMany {
            calmSince = nil
            cutForStalls(stallShare, floor, into: &actions)
        } else if stallShare > BudgetLimits.calmStallShareMax || hasBounds && tightest == nil {
            // The free memory of a bound that can no longer be read is unknown.
            calmSince = nil
        } else {
            grow(upTo: tightest, now: now, into: &actions)
        }
        voice.noteFloor(floor, tightest, budgetBytes, into: &actions)
        voice.speak(budgetBytes, now: now, into: &actions)
    }

    /// The minimum budget. Under a bound far below the configured memory, a share of the configured
    /// memory would itself be too much.
    private func floorBytes(under tightest: Allowance?) -> Int {
        let whole = min(configuredBytes, tightest?.bound.limitBytes ?? configuredBytes)
        let floor = max(
            Int(Double(whole) * BudgetLimits.floorShare),
            shardCount * BudgetLimits.bytesPerShardMin)
        return min(floor, configuredBytes)
    }

    private mutating func set(
        _ bytes: Int, _ cause: BudgetReport.Cause, into actions: inout [Action]
    ) {
        guard bytes != budgetBytes else { return }
        // A floor may be above a budget that was set under a smaller limit.
        if bytes > budgetBytes, cause != .calm { return }
        budgetBytes = bytes
        voice.noteChange(cause)
        actions.append(.setBudget(bytes: bytes))
    }

    /// Reduces the budget by a share of the entries' size, once the last cut is complete.
    private mutating func cutForStalls(
        _ share: Double, _ floor: Int, into actions: inout [Action]
    ) {
        guard entryBytes <= budgetBytes else { return }
        if hasGrown {
            calmTime = min(calmTime * 2, BudgetLimits.calmTimeMax)
            hasGrown = false
        }
        let kept = Int(Double(entryBytes) * (1 - BudgetLimits.stallCutShare))
        set(max(kept, floor), .stalls(share: share), into: &actions)
    }

    private mutating func grow(
        upTo tightest: Allowance?, now: Instant, into actions: inout [Action]
    ) {
        let since = calmSince ?? now
        calmSince = since
        guard budgetBytes < configuredBytes else {
            // After a long enough calm time at full size the calm time is reset.
            if now.elapsed(since: since) >= calmTime { calmTime = BudgetLimits.calmTimeMin }
            return
        }
        guard now.elapsed(since: since) >= calmTime else { return }
        if let grownAt, now.elapsed(since: grownAt) < BudgetLimits.growthInterval { return }
        let ceiling = min(configuredBytes, tightest?.bytes ?? configuredBytes)
        let slack = tightest?.slackBytes ?? 0
        guard ceiling == configuredBytes || ceiling >= budgetBytes + slack else { return }
        let step = max(1, Int(Double(configuredBytes) * BudgetLimits.growthShare))
        grownAt = now
        hasGrown = true
        set(min(ceiling, budgetBytes + step), .calm, into: &actions)
    }

    private mutating func warnOfExcess(
        _ sample: MemorySample, _ tightest: Allowance?, _ floor: Int,
        into actions: inout [Action]
    ) {
        guard let tightest,
            let bound = sample.bounds.min(by: { $0.limitBytes < $1.limitBytes }),
            bound.limitBytes < configuredBytes
        else { return }
        let budget = max(tightest.bytes, floor)
        actions.append(
            .report(
                .tooMuchConfigured(bytes: configuredBytes, bound, budgetBytes: budget)))
        voice.noteSaid(budget)
    }
}
