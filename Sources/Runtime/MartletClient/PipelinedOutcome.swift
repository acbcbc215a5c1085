package import CacheModel
import ByteCoding
import CacheWire

package enum PipelinedOutcome: UInt8, Sendable, CaseIterable {
    case hit
    case stale
    case miss
    case stored
    /// The node has applied the invalidation that a removal issues.
    case removed
    /// The invalidation is in the log, and all nodes to wait for have applied it.
    case invalidated
    /// The invalidation is in the log, but not all nodes to wait for have applied it.
    case unconfirmed
    /// BUSY or DEFERRED, for an operation or for its whole message: not done, for lack of capacity,
    /// or because another shard owns the key. Also NOT LEADER to what was not done.
    case busy
    case behind
    /// An error, an unreadable answer, or NOT LEADER to what may have been done: a change may have
    /// happened all the same.
    case refused
    /// No answer will come: it could not be sent, or was given up.
    case lost

    /// The outcome for a whole message with an answer that is not RESULTS or a receipt.
    init(instead message: MessageView) {
        self = .refused
        do {
            switch message.type {
            case .notLeader:
                if try !NotLeader(decoding: message.body).mayHaveHappened { self = .busy }
            case .error:
                if try ErrorReply(decoding: message).knownCode == .busy { self = .busy }
            default: break
            }
        } catch {
            // The answer is unreadable.
        }
    }

    /// A status of a later protocol counts as unreadable.
    init(_ status: ResultStatus?) {
        switch status {
        case .hit: self = .hit
        case .stale: self = .stale
        case .miss: self = .miss
        case .stored: self = .stored
        case .removed: self = .removed
        case .busy, .deferred: self = .busy
        case .behind: self = .behind
        case .touched, .received, .refused, .changed, .failed, nil: self = .refused
        }
    }
}

/// A fill token in its received form, to be sent with the value that it was given for.
package struct PipelinedToken: Hashable, Sendable {
    package let token: FillToken
    /// Counted from the sending of the request.
    package let validMilliseconds: UInt32

    /// Looks for a token among the fields of a result.
    ///
    /// - Returns: `nil` if there is none, or the fields cannot be read.
    init?(inFields fields: UnsafeRawBufferPointer) {
        do throws(WireRefusal) {
            var reader = ByteReader(fields)
            while !reader.isAtEnd {
                let id = try reader.next(UInt8.self)
                let bytes = try reader.take(Int(try reader.next(UInt8.self)))
                guard id == OperationResult.FieldID.token else { continue }
                var value = ByteReader(bytes)
                validMilliseconds = try FillToken.validMilliseconds(in: value)
                token = try FillToken(decoding: &value)
                return
            }
        } catch {
            // An unreadable field is no token: the value is not stored.
        }
        return nil
    }
}
