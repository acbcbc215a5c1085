package import CacheModel
import DequeModule
import HeapModule

/// The writes that a node makes for its clients: sends them to the origin at once, or queues them
/// until the origin is back, in order.
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
/// One thread of a node owns it. It receives events and appends actions; it reads no clock, and its
/// only randomness comes from a seed.
///
/// ### Guarantees
/// - **Order.** One attempt per key is under way at a time, and the next begins when it is over.
///   Writes that arrive while a key waits are queued after it.
/// - **No accepted write is lost.** `queued` is answered once the write is durable in the journal,
///   and a write leaves the journal after its invalidation was published. After a crash in between
///   it is sent again, with the same operation id, by which the origin detects the repetition.
/// - **Accepted writes are visible.** From `hold` to `release` only the key's newest accepted write
///   answers loads (``newest(of:)``).
/// - **Bounds.** All writes together, including rejected ones, are bounded in number and in bytes.
///
/// A rejected write does not block its key: each write is a complete value, independent of the one
/// before it.
///
/// ### What the shell must do
/// Perform every action in order; call `attemptEnded`, `published` and `journaled` once for each;
/// call `timeIsUp` at ``nextDeadline``.
///
/// docs/decisions/0044-write-behind.md
package struct WriteQueue: Sendable {
    package typealias Action = WriteQueueAction

    var writes: [WriteNumber: QueuedWrite] = [:]
    /// Number of writes that only wait for an answer.
    var directCount = 0
    /// The writes of each key that are neither over nor rejected, in order; none of them is empty.
    var lanes: [WriteLine: Deque<WriteNumber>] = [:]
    var rejected: [WriteNumber: RejectedWrite] = [:]
    var namespaces: [Namespace: NamespaceReplay] = [:]
    /// Keys that shards must not answer themselves, with the position of the last published
    /// invalidation of each.
    var held: [WriteLine: LogPosition] = [:]
    /// Writes with an invalidation still to be published, and when that is retried.
    var owing = Heap<WriteNumber>()
    var owingUntil: Instant?
    var jitter: Jitter
    var last = WriteNumber(0)
    /// Which keys other nodes own, and the forwarding to those.
    var forwarding = Forwarding()
    /// When the writes of a key ended lately.
    var ended = EndedWrites()
    package internal(set) var bytes = 0
    var journal: JournalState
    package internal(set) var statistics = WriteStatistics()

    /// A write that the origin refused after it was accepted.
    struct RejectedWrite: Sendable {
        var write: QueuedWrite
        var rejection: WriteRejection
    }

    /// - Parameters:
    ///   - hasJournal: whether writes can be queued. Without a journal none is.
    ///   - isJournalBroken: whether the journal contains the writes to restore but accepts none
    ///     now.
    ///   - seed: seeds the jitter of rests.
    package init(hasJournal: Bool, isJournalBroken: Bool = false, seed: UInt64) {
        journal = JournalState(isThere: hasJournal, isBroken: isJournalBroken)
        jitter = Jitter(seed: seed)
    }

    /// Restores the writes of a journal, which must contain exactly these now. To be called first.
    package mutating func restore(
        _ recovered: RecoveredJournal, now: Instant, into actions: inout [Action]
    ) {
        if journal.isBroken { journal.rest(from: now) }
        last = recovered.last
        for entry in recovered.entries {
            var write = QueuedWrite(
                content: entry.write, ticket: nil, patience: .zero, askedAt: entry.at)
            write.keeping = .durable
            write.ownedSince = entry.ownedSince
            bytes += entry.write.costBytes
            if let rejection = entry.rejection {
                rejected[entry.number] = RejectedWrite(write: write, rejection: rejection)
                continue
            }
            writes[entry.number] = write
            let line = entry.write.line
            lanes[line, default: []].append(entry.number)
            hold(line, into: &actions)
        }
        let records = recovered.records
        journal.fileBytes = records.reduce(JournalFormat.headerBytes) { $0 + $1.bytes }
        journal.takesDescribed = records.contains(where: \.isDescribed)
        advanceAll(now: now, into: &actions)
        checkInvariants()
    }

    /// Gives the first write of each key its turn, the oldest first.
    mutating func advanceAll(now: Instant, into actions: inout [Action]) {
        for number in lanes.values.compactMap(\.first).sorted() {
            guard let line = writes[number]?.content.line else { continue }
            advance(line, now: now, into: &actions)
        }
    }

    /// A shard asks for a write to an origin.
    ///
    /// - Parameters:
    ///   - patience: how long an attempt may be awaited.
    ///   - wall: wall time in milliseconds since 1970.
    /// - Complexity: O(log writes).
    package mutating func asked(
        _ order: WriteOrder, wall: UInt64, now: Instant, into actions: inout [Action]
    ) {
        let write = order.write
        let lane = lanes[write.line] ?? []
        if let forwarded = order.forwarded,
            let answer = ended.answer(
                to: forwarded, of: write, behind: lane.compactMap { writes[$0] },
                forwarding.route)
        {
            return actions.append(.answer(order.ticket, answer))
        }
        guard writes.count + rejected.count < WriteLimits.writesMax,
            bytes + write.costBytes <= WriteLimits.bytesMax
        else {
            statistics.full += 1
            return actions.append(.answer(order.ticket, .full))
        }
        let number = take(write, askedAt: wall)
        writes[number]?.ticket = order.ticket
        writes[number]?.patience = order.patience
        writes[number]?.ownedSince = order.ownedSince
        writes[number]?.isForwarded = order.forwarded != nil
        let head = lane.first.flatMap { writes[$0] }
        lanes[write.line, default: []].append(number)
        if head == nil, mayTryDirectly(write.namespace, now: now), mayBegin(number, isNew: true) {
            tryDirectly(number, into: &actions)
        } else if head?.isPassing != true {
            keep([number], now: now, into: &actions)
        }
        checkInvariants()
    }

    mutating func take(_ write: OriginWrite, askedAt: UInt64) -> WriteNumber {
        last = WriteNumber(last.rawValue + 1)
        writes[last] = QueuedWrite(
            content: write, ticket: nil, patience: .zero, askedAt: askedAt)
        directCount += 1
        bytes += write.costBytes
        return last
    }

    mutating func set(_ keeping: QueuedWrite.Keeping, of number: WriteNumber) {
        guard let before = writes[number]?.isDirect else { return }
        writes[number]?.keeping = keeping
        directCount += (keeping == .memory ? 1 : 0) - (before ? 1 : 0)
    }

    mutating func remove(_ number: WriteNumber) -> QueuedWrite? {
        guard let write = writes.removeValue(forKey: number) else { return nil }
        if write.isDirect { directCount -= 1 }
        return write
    }

    /// Whether the journal accepts no writes now. It is retried automatically.
    package var isJournalUnusable: Bool { journal.isUnusable }

    /// The newest accepted write of a key, which answers its loads; `nil`: there is none.
    package func newest(of line: WriteLine) -> OriginWrite? {
        guard held[line] != nil else { return nil }
        let number = lanes[line]?.last { writes[$0]?.keeping == .durable }
        return number.flatMap { writes[$0]?.content }
    }
}

package struct WriteStatistics: Equatable, Sendable {
    /// Taken by the origin while a client waited.
    package var direct: UInt64 = 0
    /// Accepted into the queue.
    package var queued: UInt64 = 0
    /// Taken by the origin from the queue.
    package var replayed: UInt64 = 0
    /// Refused by the origin, at once or later.
    package var rejected: UInt64 = 0
    /// Refused because the queue was full.
    package var full: UInt64 = 0
    /// Accepted by the node that owns the key now, from this queue.
    package var forwarded: UInt64 = 0
    /// Not accepted there, because the key was written since.
    package var overtaken: UInt64 = 0
    package var journalFailures: UInt64 = 0
}
