package import CacheModel

/// One change of one key, to be sent to an origin.
package struct OriginWrite: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case put([UInt8])
        case delete
    }

    package var namespace: Namespace
    package var key: CacheKey
    package var change: Change
    package var representation = Representation()
    /// The operation id by which the origin detects a repetition. Not ``OperationID/none``.
    package var name: OperationID
    /// The trace of the external request that it belongs to, forwarded to the origin; decides
    /// nothing.
    package var trace: TraceContext?

    package init(namespace: Namespace, key: CacheKey, change: Change, name: OperationID) {
        self.namespace = namespace
        self.key = key
        self.change = change
        self.name = name
    }

    package var line: WriteLine { WriteLine(namespace: namespace, key: key) }

    /// The new value; `nil` for a deletion.
    package var value: [UInt8]? {
        if case .put(let bytes) = change { bytes } else { nil }
    }

    /// The name as a field's value: a string of RFC 9651.
    package var idempotencyKey: String {
        "\"" + Self.hex(name.high) + "-" + Self.hex(name.low) + "\""
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Approximate size in memory and on disk.
    package var costBytes: Int {
        WriteLimits.overheadBytes + key.bytes.count + (value?.count ?? 0)
            + representation.stored.count
    }
}

/// The unit of write order: the writes of one key.
package struct WriteLine: Hashable, Sendable {
    package var namespace: Namespace
    package var key: CacheKey

    package init(namespace: Namespace, key: CacheKey) {
        self.namespace = namespace
        self.key = key
    }
}

/// Identifies one write for the shard that asked for it.
package struct WriteTicket: Hashable, Sendable {
    package var shard: UInt16
    /// Never used twice by its shard.
    package var number: UInt64

    package init(shard: UInt16, number: UInt64) {
        self.shard = shard
        self.number = number
    }
}

package struct WriteOrder: Equatable, Sendable {
    package var ticket: WriteTicket
    package var write: OriginWrite
    /// How long its asker waits for the origin.
    package var patience: Duration
    /// The record that gave the key to this shard; none if keys do not move.
    package var ownedSince = LogPosition.none
    /// If another node forwards it.
    package var forwarded: ForwardedWrite?

    package init(ticket: WriteTicket, write: OriginWrite, patience: Duration) {
        self.ticket = ticket
        self.write = write
        self.patience = patience
    }
}

/// What a shard knows of a write that another node has forwarded: docs/decisions/0122.
package enum ForwardedWrite: Equatable, Sendable {
    /// An operator retries it: it counts whatever was written since.
    case unconditional
    /// The sender accepted it while it had the key, and this node has the key directly after it.
    ///
    /// - Parameters:
    ///   - ownedSince: the record that gave the key to this node.
    ///   - coveredAt: the newest record that covers the key; `nil`: there is none.
    case following(ownedSince: LogPosition, coveredAt: LogPosition?)
    /// Another node may have had the key between.
    case stale
}

/// A write's sequence number in a node's queue, from 1. Continues over restarts while the queue is
/// not empty.
package struct WriteNumber: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The outcome of a write, for the shard that asked.
package enum WriteAnswer: Equatable, Sendable {
    /// The origin has it, and the invalidation is published at this position.
    case taken(LogPosition)
    /// It is durable in the queue: it will be sent to the origin.
    case queued
    case refused(WriteRejection)
    case full
    /// It was forwarded, and the key has been written since.
    case overtaken
    /// It was forwarded, and whether the key has been written since is not known yet.
    case undecided
    /// The origin did not take it, or the invalidation could not be published, and the write could
    /// not be queued: there is no journal, or its disk does not accept it.
    case unusable
}

/// An origin's final refusal of a write.
package struct WriteRejection: Equatable, Sendable {
    /// As in HTTP; 0 if the origin was not asked, because the key is not valid in its URL;
    /// ``overtaken``, ``atOwner``.
    package var status: UInt16
    /// The first bytes of its answer, at most ``WriteLimits/wordsBytesMax``.
    package var words: [UInt8]

    /// Another node owns the key, or did, and may have a newer write of it. No status of HTTP.
    package static let overtaken: UInt16 = 1
    /// The node that owns the key has refused the write, or its origin, with these words. No status
    /// of HTTP.
    package static let atOwner: UInt16 = 2

    package init(status: UInt16, words: [UInt8] = []) {
        self.status = status
        self.words = Array(words.prefix(WriteLimits.wordsBytesMax))
    }
}

/// The outcome of an attempt to send a write to an origin.
package enum WriteVerdict: Equatable, Sendable {
    case taken
    case refused(WriteRejection)
    /// Unknown, or not accepted now. The origin may have it all the same.
    case down(LoadFailure, retryAfter: Duration?)

    /// - Parameter answer: the scheduler's, to a request with this change.
    package init(of answer: LoadAnswer, to change: OriginWrite.Change) {
        switch answer {
        case .reply(let reply): self.init(of: reply, to: change)
        case .failed(.refused, _): self = .refused(WriteRejection(status: 0))
        case .failed(let failure, let retryAfter): self = .down(failure, retryAfter: retryAfter)
        }
    }

    private init(of reply: OriginReply, to change: OriginWrite.Change) {
        switch reply.status {
        case 200...299: self = .taken
        // A key to be deleted is absent.
        case 404, 410:
            self =
                change == .delete
                ? .taken : .refused(WriteRejection(status: UInt16(reply.status), words: reply.body))
        default:
            self =
                OriginStatus(reply.status).isWorthAnother
                ? .down(.unavailable, retryAfter: reply.retryAfter)
                : .refused(
                    WriteRejection(status: UInt16(clamping: reply.status), words: reply.body))
        }
    }
}
