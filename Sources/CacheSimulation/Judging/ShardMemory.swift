import CacheModel

/// What the oracle saw of one shard, from outside: which letters it was handed, what it answered.
struct ShardMemory {
    /// At which step of the world each record was obeyed.
    private(set) var obeyedSteps: [LogDigest: Int] = [:]
    /// Where it stands by the letters it was handed.
    private(set) var mark = LogMark.none
    /// The last time everything was to be hidden, and where it went on.
    private(set) var forgetStep = 0
    private(set) var forgetPosition = LogPosition.none
    /// What was stored after this may be shown: it was not hidden, or what was hidden last may be
    /// shown again where nothing has touched it.
    private(set) var hiddenStep = 0
    private var previousHiddenStep = 0
    /// Whether nobody has told yet what was touched, nor that nobody can.
    private var isForgetPending = false
    /// What was stored here, by the number of the fill.
    private(set) var holdings: [Int: Holding] = [:]
    /// Which fill was stored last under each key.
    private(set) var residents: [Int: Int] = [:]
    /// What was stored before this is not judged: the answer that spared it rests on a log that
    /// lost its end and left no trace of it.
    private(set) var excusedStep = 0
    /// Counts what happens here to loads, finer than the world's steps.
    private var order = 0
    /// Who may load each key: the newest token given for it, or load begun, and when.
    private var tokens: [Int: (lease: UInt64, step: Int, order: Int)] = [:]
    /// Who might until the step of the newest, and when they were given. What one turn answers, and
    /// what loads it begins, is not told in the order in which it happened.
    private var earlierLeases: [Int: [(lease: UInt64, step: Int)]] = [:]
    /// Loads of the shard itself.
    private(set) var loads = LoadLedger()
    /// Until when it could vouch for its entries; `nil`: it never could.
    var vouchedUntil: WorldTime?
    /// When it began to load each key last, or gave a token for it.
    var askedAt: [Int: WorldTime] = [:]
    /// When it obeyed a soft invalidation last.
    var softenedAt: WorldTime?
    /// When the key was last stored, or named by a record that was obeyed.
    private var storedOrders: [Int: (order: Int, step: Int)] = [:]
    private var namedOrders: [Int: Int] = [:]
    /// What was stored before this was stored by earlier lives of the node, and came by its disk.
    private(set) var inheritedStep = 0
    /// The life that wrote it last.
    private(set) var writer = Incarnation.none
    /// At which step they obeyed each record.
    private var inheritedObeyed: [LogDigest: Int] = [:]
    /// Where it went on without being handed each record before that, and since when.
    private var steppedTo: [(step: Int, position: LogPosition)] = []
    private var inheritedSteppedTo: [(step: Int, position: LogPosition)] = []
    /// When the shard went on where its disk tier was, and where that is.
    private var resumedStep = 0
    private var resumedPosition = LogPosition.none
    /// The position of the last answer.
    var answered = LogPosition.none
    /// Records before this index are obeyed, or nobody owes them.
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

    /// A load lease was given: to who holds a token, or to a load.
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

    /// Whether the load that is under way began before the key was invalidated here.
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

    /// The publisher has told what was touched since this shard fell behind.
    mutating func showAgain(from mark: LogMark, isExcused: Bool) {
        guard mark.position == forgetPosition else { return }
        hiddenStep = previousHiddenStep
        isForgetPending = false
        if isExcused { excusedStep = forgetStep }
    }

    /// Nobody can tell what was touched since this shard fell behind.
    mutating func hideForGood() { isForgetPending = false }

    /// What lies on disk was written by another life, of which this one knows nothing else.
    mutating func inherit(_ old: ShardMemory, of writer: Incarnation, step: Int) {
        self.writer = writer
        (holdings, residents) = (old.holdings, old.residents)
        inheritedObeyed = old.inheritedObeyed.merging(old.obeyedSteps) { first, _ in first }
        inheritedSteppedTo = old.inheritedSteppedTo + old.steppedTo
        // Of a forgetting that life never heard the end of this one asks again, as its disk is as
        // far as before.
        hiddenStep = old.isForgetPending ? old.previousHiddenStep : old.hiddenStep
        (inheritedStep, excusedStep) = (step, old.excusedStep)
    }

    /// The shard goes on at a mark up to which an earlier life had obeyed everything.
    mutating func resume(at mark: LogMark, step: Int) {
        self.mark = mark
        answered = .none
        (resumedStep, resumedPosition) = (step, mark.position)
        steppedTo.append((step, mark.position))
    }

    /// When a record was obeyed here first, as far as it matters to this holding; `nil` if it was
    /// not.
    func obeyedStep(_ digest: LogDigest, for holding: Holding?) -> Int? {
        let own = obeyedSteps[digest]
        guard let holding, holding.step <= inheritedStep else { return own }
        return inheritedObeyed[digest] ?? own
    }

    /// Whether an earlier life stood beyond a record when it stored this, though it was never
    /// handed it; this life may well be.
    func hadSteppedOver(_ record: RecordFact, before holding: Holding?) -> Bool {
        guard let holding, holding.step <= inheritedStep else { return false }
        return inheritedSteppedTo.contains {
            $0.step < holding.step && record.step < $0.step
                && record.position <= $0.position
        }
    }

    /// What is under a key has another life.
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

    /// What another node holds was stored here, with the life that it has there.
    mutating func copy(_ fill: Fill, _ holding: Holding, step: Int) {
        var copy = holding
        copy.step = step
        holdings[fill.number] = copy
        residents[fill.item] = fill.number
        voidLeases(of: fill.item, step: step)
    }

    /// What is given so far for loads of the key is worth nothing any more.
    mutating func voidLeases(of item: Int, step: Int) {
        order += 1
        storedOrders[item] = (order, step)
    }

    /// How long past its life it may answer.
    mutating func open(_ window: Span, for fill: Int) { holdings[fill]?.window = window }

    /// The origin has confirmed, by what it answered to `load`, what is stored here. Leases that
    /// others have stay.
    mutating func renew(
        _ fill: Fill, by load: Fill, step: Int, time: WorldTime, endsAt: WorldTime?
    ) {
        let stored = storedOrders[fill.item]
        store(held(fill, by: load), step: step, time: time, endsAt: endsAt)
        storedOrders[fill.item] = stored
        holdings[fill.number]?.isRenewed = true
    }

    /// A fill as it would be held here once `load` has confirmed it.
    func held(_ fill: Fill, by load: Fill) -> Fill {
        var held = self.held(fill)
        held.claim = .fenced
        held.readStep = max(held.readStep, load.readStep)
        held.sawStep = max(held.sawStep, load.sawStep)
        return held
    }

    /// A fill as it is held here: renewed, it counts as read anew.
    func held(_ fill: Fill) -> Fill {
        guard let holding = holdings[fill.number] else { return fill }
        var held = fill
        held.readStep = holding.readStep
        held.sawStep = holding.sawStep
        if holding.isRenewed { held.claim = .fenced }
        return held
    }

    /// Whether nothing that the record covers can be shown here any more: it was obeyed, or
    /// everything from before it was hidden.
    func hasObeyed(_ record: RecordFact) -> Bool {
        if obeyedSteps[record.sealed.digest] != nil { return true }
        if record.step < resumedStep && record.position <= resumedPosition { return true }
        return record.step < forgetStep && record.position <= forgetPosition
    }
}
