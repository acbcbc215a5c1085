import CacheModel

/// One shard as the oracle sees it from outside: the messages it received, and its answers.
struct ShardMemory {
    /// The step of the world at which each record was applied.
    private(set) var obeyedSteps: [LogDigest: Int] = [:]
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
    /// Counts the events of loads here, finer than the world's steps.
    private var order = 0
    /// The newest load lease of each key, given with a token or to a load of the shard, and when.
    private var tokens: [Int: (lease: UInt64, step: Int, order: Int)] = [:]
    /// Leases that the step of the newest one replaced, and when they were given. The answers and
    /// loads of one turn are not reported in the order in which they happened.
    private var earlierLeases: [Int: [(lease: UInt64, step: Int)]] = [:]
    /// Loads of the shard itself.
    private(set) var loads = LoadLedger()
    /// Until when it could vouch for its entries; `nil`: it never could.
    var vouchedUntil: WorldTime?
    /// When it last began to load each key, or gave a token for it.
    var askedAt: [Int: WorldTime] = [:]
    /// When it last applied a soft invalidation.
    var softenedAt: WorldTime?
    /// When the key was last stored, and when an applied record last named it.
    private var storedOrders: [Int: (order: Int, step: Int)] = [:]
    private var namedOrders: [Int: Int] = [:]
    /// Entries stored up to this step come from earlier runs of the node, through its disk.
    private(set) var inheritedStep = 0
    /// The run that wrote the disk last.
    private(set) var writer = Incarnation.none
    /// The step at which those runs applied each record.
    private var inheritedObeyed: [LogDigest: Int] = [:]
    /// Positions where it continued without all records before them, and since when.
    private var steppedTo: [(step: Int, position: LogPosition)] = []
    private var inheritedSteppedTo: [(step: Int, position: LogPosition)] = []
    /// When the shard continued at the position of its disk tier, and that position.
    private var resumedStep = 0
    private var resumedPosition = LogPosition.none
    /// The position of the last answer.
    var answered = LogPosition.none
    /// Records before this index are applied or lost.
    var settledCount = 0

    mutating func obey(_ record: SealedRecord, step: Int) {
        obeyedSteps[record.digest] = step
        mark = record.mark
        order += 1
        for case .key(let key, let namespace) in record.record.scopes.map(\.target) {
            for index in Catalog.items.indices
            where Catalog.items[index].key == key && Catalog.items[index].namespace == namespace {
                namedOrders[index] = order
            }
        }
    }

    /// Gives a load lease, with a token or to a load of the shard.
    mutating func give(_ lease: UInt64, for item: Int, step: Int) {
        order += 1
        if loads.areAny, let old = tokens[item] {
            if old.step != step { earlierLeases[item] = [] }
            earlierLeases[item, default: []].append((old.lease, old.step))
        }
        tokens[item] = (lease, step, order)
    }

    mutating func begin(_ load: UInt64, of item: Int, step: Int) {
        loads.begin(load, of: item, step: step)
        give(load, for: item, step: step)
    }

    mutating func end(_ load: UInt64) -> LoadLedger.Load? { loads.end(load) }

    mutating func note(_ end: LoadLedger.End, of item: Int) { loads.note(end, of: item) }

    mutating func noteCovered(_ keys: UInt64, step: Int) { loads.cover(keys, step: step) }

    /// Whether the load in flight began before the key was invalidated here.
    func isLoadOutdated(_ item: Int) -> Bool {
        guard let given = tokens[item]?.order else { return true }
        return given < namedOrders[item] ?? 0
    }

    /// Whether a load lease of this shard may still store: it is the newest of its key, and the key
    /// was neither stored nor invalidated since.
    func isLoad(_ item: Int, under lease: UInt64, at step: Int) -> Bool {
        guard let given = tokens[item] else { return false }
        let isEarlier =
            earlierLeases[item]?.contains {
                $0.lease == lease && (given.step == step || $0.step == given.step)
            } ?? false
        guard given.lease == lease || isEarlier else { return false }
        guard given.order > namedOrders[item] ?? 0 else { return false }
        guard let stored = storedOrders[item] else { return true }
        return given.order > stored.order || loads.areAny && given.step == stored.step
    }

    mutating func forget(_ mark: LogMark, isPending: Bool, step: Int) {
        self.mark = mark
        isForgetPending = isPending
        previousHiddenStep = hiddenStep
        forgetStep = step
        hiddenStep = step
        forgetPosition = mark.position
        steppedTo.append((step, mark.position))
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
        inheritedObeyed = old.inheritedObeyed.merging(old.obeyedSteps) { first, _ in first }
        inheritedSteppedTo = old.inheritedSteppedTo + old.steppedTo
        // If that run never got the answer to a forgetting, this run asks again, as its disk is at
        // the same position.
        hiddenStep = old.isForgetPending ? old.previousHiddenStep : old.hiddenStep
        (inheritedStep, excusedStep) = (step, old.excusedStep)
    }

    /// The shard continues at a mark up to which an earlier run has applied all records.
    mutating func resume(at mark: LogMark, step: Int) {
        self.mark = mark
        answered = .none
        (resumedStep, resumedPosition) = (step, mark.position)
        steppedTo.append((step, mark.position))
    }

    /// The step at which a record was first applied here, as far as it matters to this holding;
    /// `nil` if it was not.
    func obeyedStep(_ digest: LogDigest, for holding: Holding?) -> Int? {
        let own = obeyedSteps[digest]
        guard let holding, holding.step <= inheritedStep else { return own }
        return inheritedObeyed[digest] ?? own
    }

    /// Whether an earlier run was beyond a record when it stored this, without having received it;
    /// the present run may have received it.
    func hadSteppedOver(_ record: RecordFact, before holding: Holding?) -> Bool {
        guard let holding, holding.step <= inheritedStep else { return false }
        return inheritedSteppedTo.contains {
            $0.step < holding.step && record.step < $0.step
                && record.position <= $0.position
        }
    }

    /// Gives the entry of a key another lifetime.
    mutating func touch(_ item: Int, endsAt: WorldTime) {
        guard let resident = residents[item] else { return }
        holdings[resident]?.endsAt = endsAt
    }

    mutating func store(_ fill: Fill, step: Int, time: WorldTime, endsAt: WorldTime?) {
        holdings[fill.number] = Holding(
            step: step, time: time, endsAt: endsAt, readStep: fill.readStep, sawStep: fill.sawStep)
        residents[fill.item] = fill.number
        voidLeases(of: fill.item, step: step)
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
        order += 1
        storedOrders[item] = (order, step)
    }

    /// Sets how long past its lifetime it may be served.
    mutating func open(_ window: Span, for fill: Int) { holdings[fill]?.window = window }

    /// The origin's answer to `load` has confirmed the value that is stored here. Leases of other
    /// loads stay.
    mutating func renew(
        _ fill: Fill, by load: Fill, step: Int, time: WorldTime, endsAt: WorldTime?
    ) {
        let stored = storedOrders[fill.item]
        store(held(fill, by: load), step: step, time: time, endsAt: endsAt)
        storedOrders[fill.item] = stored
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
        if obeyedSteps[record.sealed.digest] != nil { return true }
        if record.step < resumedStep && record.position <= resumedPosition { return true }
        return record.step < forgetStep && record.position <= forgetPosition
    }
}
