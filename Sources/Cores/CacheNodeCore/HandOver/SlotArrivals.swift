import CacheLoading
import CacheMemory
import CacheModel

/// Slots that a shard got, while their entries are copied from the owner before.
///
///     record ─▶ arrival ── a reader's key is missing ─▶ pull: the reader waits, briefly
///                  │   └── in the background ─▶ WarmUp
///                  └── a minute, a gap, the slot is lost, too many stores ─▶ over
///
/// A copy is as of the record. So a key that was stored here since then takes no copy any more,
/// whether its entry is still there or not.
struct SlotArrivals {
    private struct Arrival {
        let move: SlotMove
        let until: Instant
        var slots: SlotSet
        /// Until when no reader waits for the owner before, which did not answer so many times.
        var silentUntil: Instant?
        var silentCount = 0
    }

    /// Readers that wait for a key, by the numbers of their requests.
    private struct Pull {
        var readers: [UInt64]
        let begunAt: Instant
    }

    private let remembersStores: Bool
    private var arrivals: [Arrival] = []
    /// Keys that were stored since the first of the arrivals.
    private var stored: Set<KeyHash> = []
    /// Keys that the owner before does not have, or with values of several frames: it gets nothing
    /// new.
    private var absent: Set<KeyHash> = []
    private var pulls: [LoadKey: Pull] = [:]
    /// Whether any slot is arriving.
    private(set) var isActive = false

    init(_ guards: Guards) { remembersStores = guards.isOn(.moveStored) }

    // MARK: Changes

    /// A record moved slots.
    ///
    /// - Parameter arriving: the moves to take entries of.
    mutating func note(_ moves: SlotMoves, _ arriving: [SlotMove], now: Instant) {
        for index in arrivals.indices {
            arrivals[index].slots.subtract(moves.lost)
            arrivals[index].slots.subtract(moves.gained)
        }
        if !arriving.isEmpty { absent = [] }
        for move in arriving {
            arrivals.append(
                Arrival(
                    move: move, until: now.advanced(by: HandOverLimits.lifetime),
                    slots: move.slots))
        }
        let changes = Set(arrivals.map(\.move.change)).sorted(by: >)
        if changes.count > HandOverLimits.changesMax {
            let oldest = changes[HandOverLimits.changesMax - 1]
            arrivals.removeAll { $0.move.change < oldest }
        }
        removeEnded(now: now)
    }

    /// Ends those that are a minute old.
    mutating func removeEnded(now: Instant) {
        guard isActive || !arrivals.isEmpty else { return }
        arrivals.removeAll { $0.until <= now || $0.slots.isEmpty }
        isActive = !arrivals.isEmpty
        if !isActive { endAll() }
    }

    mutating func endAll() {
        (arrivals, stored, absent, isActive) = ([], [], [], false)
    }

    /// A value of a key was stored here, by an asker or a load, or its lifetime was changed.
    @inline(__always)
    mutating func noteStored(_ hash: KeyHash, _ key: UnsafeRawBufferPointer) {
        if isActive { noteStored(hash, HashSlot(of: key)) }
    }

    private mutating func noteStored(_ hash: KeyHash, _ slot: HashSlot) {
        guard remembersStores, arrivals.contains(where: { $0.slots.contains(slot) }) else {
            return
        }
        stored.insert(hash)
        if stored.count > HandOverLimits.storedMax { endAll() }
    }

    // MARK: Copies

    /// Whether an entry of the owner before may be stored: it is from the hand-over of this record,
    /// and none was stored here since.
    func mayTake(_ hash: KeyHash, _ slot: HashSlot, of change: LogPosition) -> Bool {
        guard !stored.contains(hash) else { return false }
        return arrivals.contains { $0.slots.contains(slot) && $0.move.change == change }
    }

    /// Whether entries arrive by this record.
    func awaits(_ change: LogPosition) -> Bool {
        arrivals.contains { $0.move.change == change }
    }

    /// The owner before that readers of a key wait for; `nil`: none.
    func source(of hash: KeyHash, _ slot: HashSlot, now: Instant) -> SlotMove? {
        guard !stored.contains(hash), !absent.contains(hash) else { return nil }
        let arrival = arrivals.first { $0.slots.contains(slot) }
        return arrival.flatMap { now < $0.silentUntil ?? now ? nil : $0.move }
    }

    /// An owner before did not answer: no reader waits for it for a time, which doubles. Requests
    /// that fail together count once.
    private mutating func noteSilent(_ move: SlotMove, now: Instant) {
        for index in arrivals.indices where arrivals[index].move == move {
            if let until = arrivals[index].silentUntil, now < until { continue }
            let pause = HandOverLimits.silencePause * (1 << min(arrivals[index].silentCount, 6))
            arrivals[index].silentUntil = now.advanced(by: pause)
            arrivals[index].silentCount += 1
        }
    }

    /// An owner before answered.
    private mutating func noteHeard(_ move: SlotMove) {
        for index in arrivals.indices where arrivals[index].move == move {
            (arrivals[index].silentUntil, arrivals[index].silentCount) = (nil, 0)
        }
    }

    /// It answered without this key.
    private mutating func noteAbsent(_ hash: KeyHash) {
        if absent.count < HandOverLimits.storedMax { absent.insert(hash) }
    }

    // MARK: Readers

    /// A key that a reader wants, and that is missing.
    struct Wanted {
        let key: CacheKey
        let namespace: Namespace
        let name: LoadKey
        /// By which it arrives.
        let move: SlotMove
    }

    /// A reader waits for keys.
    ///
    /// - Parameter fence: the position applied here.
    /// - Returns: the requests to be sent, and how many keys the reader does not wait for.
    mutating func pull(
        _ wanted: [Wanted], behind fence: WarmUp.Fence, for reader: UInt64, now: Instant
    ) -> (pulls: [SlotPull], leftCount: Int) {
        var (requests, leftCount) = ([SlotMove: WarmUp.CopyRequest](), 0)
        for one in wanted {
            switch pull(one.name, of: one.move, for: reader, now: now) {
            case true?:
                var request =
                    requests[one.move]
                    ?? WarmUp.CopyRequest(namespace: one.namespace, keys: [], fence: fence)
                request.change = one.move.change
                request.keys.append(one.key)
                requests[one.move] = request
            case false?: break
            case nil: leftCount += 1
            }
        }
        let sorted = requests.sorted { $0.key.isBefore($1.key) }
        return (sorted.map { SlotPull(move: $0.key, request: $0.value) }, leftCount)
    }

    /// A reader waits for a key.
    ///
    /// - Parameter move: by which it arrives.
    /// - Returns: whether the key must be requested; `nil`: the reader does not wait, because too
    ///   many keys are requested, or an earlier request has no end.
    private mutating func pull(
        _ key: LoadKey, of move: SlotMove, for reader: UInt64, now: Instant
    ) -> Bool? {
        let forgotten = HandOverLimits.pullForgottenAfter
        if let known = pulls[key] {
            guard now < known.begunAt.advanced(by: forgotten) else {
                pulls[key] = nil
                noteSilent(move, now: now)
                return nil
            }
            pulls[key]?.readers.append(reader)
            return false
        }
        if pulls.count >= HandOverLimits.pullsMax {
            pulls = pulls.filter { now < $0.value.begunAt.advanced(by: forgotten) }
            guard pulls.count < HandOverLimits.pullsMax else { return nil }
        }
        pulls[key] = Pull(readers: [reader], begunAt: now)
        return true
    }

    /// The owner before has answered a request, or part of it.
    ///
    /// - Parameter batch: `nil`: it did not answer.
    /// - Returns: the readers that wait for the keys, once for each.
    mutating func end(
        _ pull: SlotPull, _ batch: WarmUp.Batch?, in number: NamespaceNumber, _ hasher: EntryHasher,
        now: Instant
    ) -> [UInt64] {
        if batch == nil { noteSilent(pull.move, now: now) } else { noteHeard(pull.move) }
        let held = batch.map { Set($0.copies.map(\.key) + $0.deferred) }
        return pull.request.keys.flatMap { key in
            if let held, !held.contains(key) {
                noteAbsent(key.bytes.withUnsafeBytes { hasher.hash($0, in: number) })
            }
            let name = LoadKey(namespace: number.rawValue, bytes: key.bytes)
            return pulls.removeValue(forKey: name)?.readers ?? []
        }
    }
}
