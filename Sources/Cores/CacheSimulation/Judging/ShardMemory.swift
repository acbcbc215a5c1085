import CacheModel

/// One shard as the oracle sees it from outside: the messages it received, and its answers.
struct ShardMemory {
    private(set) var applied = AppliedRecords()
    /// Its position, by the messages it received.
    private(set) var mark = LogMark.none
    /// The last time that it had to hide everything, and the position where it continued.
    private(set) var forgetStep = 0
    private(set) var forgetPosition = LogPosition.none
    /// Entries stored after this step may be served. Either they were not hidden, or the last
    /// hidden ones may be served again if no record has covered them.
    private(set) var hiddenStep = 0
    private var previousHiddenStep = 0
    /// Whether the publisher has reported neither the keys covered meanwhile nor that they are
    /// unknown.
    private var isForgetPending = false
    /// The entries stored here, by the number of the fill.
    private(set) var holdings: [Int: Holding] = [:]
    /// The fill that was stored last under each key.
    private(set) var residents: [Int: Int] = [:]
    /// Entries stored before this step are not judged: the answer that spared them depends on a log
    /// that lost its end without a trace.
    private(set) var excusedStep = 0
    private(set) var leases = LoadLeases()
    /// Loads of the shard itself.
    var loads = LoadLedger()
    /// Until when it could vouch for its entries; `nil`: it never could.
    var vouchedUntil: WorldTime?
    /// When it last began to load each key, or gave a token for it.
    var askedAt: [Int: WorldTime] = [:]
    /// When it last applied a soft invalidation.
    var softenedAt: WorldTime?
    /// Entries stored up to this step come from earlier runs of the node, through its disk.
    private(set) var inheritedStep = 0
    /// The run that wrote the disk last.
    private(set) var writer = Incarnation.none
    /// The position of the last answer.
    var answered = LogPosition.none
    /// Records before this index are applied or lost.
    var settledCount = 0

    mutating func obey(_ record: SealedRecord, step: Int) {
        applied.append(record, step: step)
        mark = record.mark
        leases.name(record)
    }

    /// Gives a load lease, with a token or to a load of the shard.
    mutating func give(_ lease: UInt64, for item: Int, step: Int) {
        leases.give(lease, for: item, step: step, keepsEarlier: loads.areAny)
    }

    mutating func begin(_ load: UInt64, of item: Int, step: Int) {
        loads.begin(load, of: item, step: step)
        give(load, for: item, step: step)
    }

    /// Whether a load lease of this shard may still store.
    func isLoad(_ item: Int, under lease: UInt64, at step: Int) -> Bool {
        leases.holds(lease, item, at: step, loads: loads.areAny)
    }

    mutating func forget(_ mark: LogMark, isPending: Bool, step: Int) {
        self.mark = mark
        isForgetPending = isPending
        previousHiddenStep = hiddenStep
        forgetStep = step
        hiddenStep = step
        forgetPosition = mark.position
        applied.stepTo(mark.position, step: step)
    }

    /// The publisher has reported the keys that were covered since this shard fell behind.
    mutating func showAgain(from mark: LogMark, isExcused: Bool) {
        guard mark.position == forgetPosition else { return }
        hiddenStep = previousHiddenStep
        isForgetPending = false
        if isExcused { excusedStep = forgetStep }
    }

    /// The publisher cannot report the keys that were covered since this shard fell behind.
    mutating func hideForGood() { isForgetPending = false }

    /// The disk was written by another run, and this run knows nothing else of it.
    mutating func inherit(_ old: ShardMemory, of writer: Incarnation, step: Int) {
        self.writer = writer
        (holdings, residents) = (old.holdings, old.residents)
        applied.inherit(old.applied)
        // If that run never got the answer to a forgetting, this run asks again, as its disk is at
        // the same position.
        hiddenStep = old.isForgetPending ? old.previousHiddenStep : old.hiddenStep
        (inheritedStep, excusedStep) = (step, old.excusedStep)
    }

    /// The shard continues at a mark up to which an earlier run has applied all records.
    mutating func resume(at mark: LogMark, step: Int) {
        self.mark = mark
        answered = .none
        applied.resume(at: mark.position, step: step)
    }

    /// The step at which a record was first applied here, as far as it matters to this holding;
    /// `nil` if it was not.
    func obeyedStep(_ digest: LogDigest, for holding: Holding?) -> Int? {
        applied.step(of: digest, isInherited: holding.map { $0.step <= inheritedStep } ?? false)
    }

    /// Whether an earlier run was beyond a record when it stored this, without having received it;
    /// the present run may have received it.
    func hadSteppedOver(_ record: RecordFact, before holding: Holding?) -> Bool {
        guard let holding, holding.step <= inheritedStep else { return false }
        return applied.hadSteppedOver(record, before: holding.step)
    }

    /// Gives the entry of a key another lifetime.
    mutating func touch(_ item: Int, endsAt: WorldTime) {
        guard let resident = residents[item] else { return }
        holdings[resident]?.endsAt = endsAt
    }

    mutating func store(_ fill: Fill, step: Int, time: WorldTime, endsAt: WorldTime?) {
        hold(fill, step: step, time: time, endsAt: endsAt)
        voidLeases(of: fill.item, step: step)
    }

    private mutating func hold(_ fill: Fill, step: Int, time: WorldTime, endsAt: WorldTime?) {
        holdings[fill.number] = Holding(
            step: step, valueStep: step, time: time, endsAt: endsAt, readStep: fill.readStep,
            sawStep: fill.sawStep)
        residents[fill.item] = fill.number
    }

    /// An entry of another node was stored here, with its TTL there.
    mutating func copy(_ fill: Fill, _ holding: Holding, step: Int) {
        var copy = holding
        copy.step = step
        holdings[fill.number] = copy
        residents[fill.item] = fill.number
        voidLeases(of: fill.item, step: step)
    }

    /// Voids all load leases of the key.
    mutating func voidLeases(of item: Int, step: Int) {
        leases.void(item, step: step)
    }

    /// Sets how long past its lifetime it may be served.
    mutating func open(_ window: Span, for fill: Int) { holdings[fill]?.window = window }

    /// The origin's answer to `load` has confirmed the value that is stored here. Leases of other
    /// loads stay.
    mutating func renew(
        _ fill: Fill, by load: Fill, step: Int, time: WorldTime, endsAt: WorldTime?
    ) {
        hold(held(fill, by: load), step: step, time: time, endsAt: endsAt)
        holdings[fill.number]?.isRenewed = true
    }

    /// A fill as it is held here after `load` has confirmed it.
    func held(_ fill: Fill, by load: Fill) -> Fill {
        var held = self.held(fill)
        held.claim = .fenced
        held.readStep = max(held.readStep, load.readStep)
        held.sawStep = max(held.sawStep, load.sawStep)
        return held
    }

    /// A fill as it is held here: a renewal counts as a new read.
    func held(_ fill: Fill) -> Fill {
        guard let holding = holdings[fill.number] else { return fill }
        var held = fill
        held.readStep = holding.readStep
        held.sawStep = holding.sawStep
        if holding.isRenewed { held.claim = .fenced }
        return held
    }

    /// Whether no value that the record covers can be shown here any more: it was applied, or
    /// everything from before it was hidden.
    func hasObeyed(_ record: RecordFact) -> Bool {
        if applied.includes(record) { return true }
        return record.step < forgetStep && record.position <= forgetPosition
    }
}

/// The oracle's knowledge of a value that a shard has stored.
struct Holding {
    /// When it was last stored or renewed there.
    var step: Int
    /// The same for the value, at the node that it was copied from.
    var valueStep: Int
    var time: WorldTime
    /// The end of its freshness; `nil`: never.
    var endsAt: WorldTime?
    /// The step of the last request to the origin about it, and of the state that the answer
    /// reflects.
    var readStep: Int
    var sawStep: Int
    /// How long after that it may be served stale.
    var window = Span.zero
    /// Whether it was renewed with a token, however it was stored.
    var isRenewed = false
}
