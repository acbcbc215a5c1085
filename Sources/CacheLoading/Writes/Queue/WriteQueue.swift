package import CacheModel
import HeapModule

/// The writes that a node makes for its clients: what it tells an origin at once, what it keeps
/// until the origin is back, and in which order.
///
///                    ┌───────────────────────── WriteQueue ─────────────────────────┐
///     shard ──asked─▶│ origin takes writes ──────── attempt ─▶ 2xx ─▶ publish ─▶ answer: taken
///                    │                                  ├────▶ 4xx ───────────▶ answer: refused
///                    │ it rests, or the key waits       ▼ down
///                    │     └──────────────────────▶ journal ─▶ durable ───────▶ answer: queued
///                    │                                  │ the key's turn, the origin is back
///                    │                                  ▼
///                    │                               attempt ─▶ 2xx ─▶ publish ─▶ journal: done
///                    │                                  ├────▶ 4xx ─▶ publish ─▶ journal: rejected
///                    │                                  └────▶ down: rest, again
///                    └──────────────────────────────────────────────────────────────┘
///
/// One thread of a node owns it. It is told what happened and appends what is to be done; it reads
/// no clock and rolls no dice but its own, from a seed.
///
/// ### What it keeps
/// - **Order.** Of one key one attempt at a time is under way, and the next begins when that one is
///   over. What comes while a key waits, waits behind it.
/// - **Nothing accepted is lost.** `queued` is answered once the journal says that it lasts, and a
///   write leaves the journal after everybody was told of it. A crash in between has it told again,
///   under the same name: that is what the name is for.
/// - **What is accepted is seen.** From `hold` to `release` the key's newest accepted write answers
///   loads (``newest(of:)``), and nothing else does.
/// - **Bounds.** All writes together, those rejected too, have a bound in number and in bytes.
///
/// A rejected write does not hold up its key: each write is a whole value, and owes the one before
/// it nothing.
///
/// ### What the shell owes
/// To perform every action in order; to say `attemptEnded`, `published` and `journaled` once for
/// each; to call `timeIsUp` at ``nextDeadline``.
///
/// docs/decisions/0044-write-behind.md
package struct WriteQueue: Sendable {
    var writes: [WriteNumber: QueuedWrite] = [:]
    /// How many of them nothing but an answer waits for.
    var directCount = 0
    /// Of every key that has writes which are neither over nor rejected.
    var lanes: [WriteLine: WriteLane] = [:]
    var rejected: [WriteNumber: RejectedWrite] = [:]
    var namespaces: [Namespace: NamespaceReplay] = [:]
    /// Keys that shards do not answer by themselves, and where everybody was last told of each.
    var held: [WriteLine: LogPosition] = [:]
    /// Writes whose change could not be told yet, and when that is tried again.
    var owing = Heap<WriteNumber>()
    var owingUntil: Instant?
    var jitter: Jitter
    var last = WriteNumber(0)
    package internal(set) var bytes = 0
    var journal: JournalBook
    package internal(set) var statistics = WriteStatistics()

    /// A write that the origin refused after it was accepted.
    struct RejectedWrite: Sendable {
        var write: QueuedWrite
        var rejection: WriteRejection
    }

    /// - Parameters:
    ///   - hasJournal: whether there is a place for writes to wait in. Without, none does.
    ///   - isJournalBroken: whether it holds what it is restored from, and takes nothing now.
    ///   - seed: where the jitter of rests comes from.
    package init(hasJournal: Bool, isJournalBroken: Bool = false, seed: UInt64) {
        journal = JournalBook(isThere: hasJournal, isBroken: isJournalBroken)
        jitter = Jitter(seed: seed)
    }

    /// Goes on with what a journal held, which holds just that now. To be called first.
    package mutating func restore(
        _ recovered: RecoveredJournal, now: Instant, into actions: inout [Action]
    ) {
        if journal.isBroken { journal.rest(from: now) }
        last = recovered.last
        for entry in recovered.entries {
            var write = QueuedWrite(
                content: entry.write, ticket: nil, patience: .zero, askedAt: entry.at)
            write.keeping = .durable
            bytes += entry.write.costBytes
            if let rejection = entry.rejection {
                rejected[entry.number] = RejectedWrite(write: write, rejection: rejection)
                continue
            }
            writes[entry.number] = write
            let line = entry.write.line
            lanes[line, default: WriteLane()].append(entry.number)
            hold(line, into: &actions)
        }
        let records = recovered.records
        journal.fileBytes = records.reduce(JournalFormat.headerBytes) { $0 + $1.bytes }
        journal.takesDescribed = records.contains(where: \.isDescribed)
        for line in lanes.keys.sorted(by: { first(of: $0) < first(of: $1) }) {
            advance(line, now: now, into: &actions)
        }
        checkInvariants()
    }

    private func first(of line: WriteLine) -> WriteNumber {
        lanes[line]?.first ?? WriteNumber(.max)
    }

    /// A shard wants an origin told.
    ///
    /// - Parameters:
    ///   - patience: for how long an attempt may be awaited.
    ///   - wall: wall time in milliseconds since 1970.
    /// - Complexity: O(log writes).
    package mutating func asked(
        _ order: WriteOrder, wall: UInt64, now: Instant, into actions: inout [Action]
    ) {
        let write = order.write
        guard writes.count + rejected.count < WriteLimits.writesMax,
            bytes + write.costBytes <= WriteLimits.bytesMax
        else {
            statistics.full += 1
            return actions.append(.answer(order.ticket, .full))
        }
        let number = take(write, askedAt: wall)
        writes[number]?.ticket = order.ticket
        writes[number]?.patience = order.patience
        let head = lanes[write.line]?.first.flatMap { writes[$0] }
        lanes[write.line, default: WriteLane()].append(number)
        if head == nil, mayTryDirectly(write.namespace, now: now) {
            tryDirectly(number, into: &actions)
        } else if head?.isPassing != true {
            keep([number], now: now, into: &actions)
        }
        checkInvariants()
    }

    /// Gives a write its number.
    mutating func take(_ write: OriginWrite, askedAt: UInt64) -> WriteNumber {
        last = WriteNumber(last.rawValue + 1)
        writes[last] = QueuedWrite(
            content: write, ticket: nil, patience: .zero, askedAt: askedAt)
        directCount += 1
        bytes += write.costBytes
        return last
    }

    /// Notes whether a write would survive.
    mutating func set(_ keeping: QueuedWrite.Keeping, of number: WriteNumber) {
        guard let before = writes[number]?.isDirect else { return }
        writes[number]?.keeping = keeping
        directCount += (keeping == .memory ? 1 : 0) - (before ? 1 : 0)
    }

    /// Takes a write out.
    mutating func remove(_ number: WriteNumber) -> QueuedWrite? {
        guard let write = writes.removeValue(forKey: number) else { return nil }
        if write.isDirect { directCount -= 1 }
        return write
    }

    /// Whether the place where writes wait takes none now. It is tried again by itself.
    package var isJournalUnusable: Bool { journal.isUnusable }

    /// The newest accepted write of a key, which answers its loads; `nil`: there is none.
    package func newest(of line: WriteLine) -> OriginWrite? {
        guard held[line] != nil else { return nil }
        let number = lanes[line]?.all.last { writes[$0]?.keeping == .durable }
        return number.flatMap { writes[$0]?.content }
    }
}
