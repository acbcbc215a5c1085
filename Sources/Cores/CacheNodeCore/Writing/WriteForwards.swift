import ByteCoding
package import CacheLoading
package import CacheModel
import CacheWire

/// Requests to the owners of keys to take queued writes: docs/decisions/0122.
///
///     forward ─▶ chunk ─▶ chunk ─▶ SET, DELETE ─▶ outcome
///                  └── an answer that is not RECEIVED, none, a broken connection ─▶ failed
///
/// Called by the origin thread, which sends the frames and passes on what arrives. Each forward
/// ends exactly once.
package struct WriteForwards {
    /// One that is under way.
    private struct Asked {
        let forward: WriteForward
        let endpoint: String
        var deadline: Instant
        var sentBytes = 0
    }

    /// An end, for the queue.
    package struct Ended: Equatable {
        package let forward: WriteForward
        package let outcome: WriteForwardOutcome

        package init(_ forward: WriteForward, _ outcome: WriteForwardOutcome) {
            (self.forward, self.outcome) = (forward, outcome)
        }
    }

    /// What follows from an answer.
    package enum Next: Equatable {
        case send([UInt8])
        case ended(Ended)
    }

    /// How long each frame of a forward may take.
    private static let timeout = Duration.seconds(5)
    /// How long the owner may wait for its origin.
    private static let ownerWait = Duration.seconds(4)
    /// Their numbers begin here, apart from those of ``PeerLoads``.
    private static let firstNumber: UInt64 = 1 << 63

    private var asked: [UInt64: Asked] = [:]
    private var lastNumber = firstNumber
    /// The sender's cluster.
    package var cluster = ClusterID.none

    package init() {}

    /// Whether an answer is to one of these requests, by its request id.
    package static func owns(_ frame: UnsafeRawBufferPointer) -> Bool {
        MessageHeader.requestID(ofDamaged: frame) >= firstNumber
    }

    /// When the next timer is due; `nil`: none.
    ///
    /// - Complexity: O(forwards under way), which are few.
    package var nextDeadline: Instant? { asked.values.map(\.deadline).min() }

    /// The shards from which answers are awaited.
    package var askedEndpoints: Set<String> { Set(asked.values.map(\.endpoint)) }

    /// Begins one.
    ///
    /// - Returns: the frame to be sent to the owner.
    package mutating func begin(
        _ forward: WriteForward, to endpoint: String, now: Instant
    ) -> [UInt8] {
        frame(
            of: Asked(
                forward: forward, endpoint: endpoint, deadline: now.advanced(by: Self.timeout)))
    }

    /// A frame came.
    ///
    /// - Returns: `nil`: it answers no request under way.
    package mutating func answered(
        _ frame: UnsafeRawBufferPointer, from endpoint: String, now: Instant
    ) -> Next? {
        let number = MessageHeader.requestID(ofDamaged: frame)
        guard var one = asked[number], one.endpoint == endpoint else { return nil }
        asked[number] = nil
        switch Self.read(frame) {
        case .received?:
            one.deadline = now.advanced(by: Self.timeout)
            return .send(self.frame(of: one))
        case .outcome(let outcome)?:
            return .ended(Ended(one.forward, outcome))
        case nil: return .ended(Ended(one.forward, .failed(.malformed)))
        }
    }

    /// The connection to a shard is broken, or there can be none.
    package mutating func broke(_ endpoint: String) -> [Ended] {
        end(.unreachable) { $0.endpoint == endpoint }
    }

    /// Ends those without an answer.
    ///
    /// - Returns: those, and the shards that owe the answers.
    package mutating func timeIsUp(now: Instant) -> (ended: [Ended], silent: Set<String>) {
        let silent = Set(asked.values.filter { $0.deadline <= now }.map(\.endpoint))
        return (end(.timedOut) { $0.deadline <= now }, silent)
    }

    private mutating func end(_ failure: LoadFailure, where isOver: (Asked) -> Bool) -> [Ended] {
        let over = asked.filter { isOver($0.value) }
        for number in over.keys { asked[number] = nil }
        return over.sorted { $0.key < $1.key }.map {
            Ended($0.value.forward, .failed(failure))
        }
    }

    // MARK: Messages

    /// The next frame of one: a chunk of a long value, or the write.
    private mutating func frame(of one: Asked) -> [UInt8] {
        var one = one
        lastNumber += 1
        defer { asked[lastNumber] = one }
        let write = one.forward.write
        var writer = ByteWriter()
        guard let value = write.value else {
            let message = begin(.delete, one.forward, &writer)
            write.key.bytes.withUnsafeBytes { DeleteOperation.append(key: $0, to: &writer) }
            message.finish(&writer, count: 1)
            return writer.array
        }
        let isLong = value.count > WireLimits.chunkBytesMax
        if isLong, one.sentBytes < value.count {
            var message = MessageWriter(.chunk, requestID: lastNumber, into: &writer)
            message.field(write.namespace, into: &writer)
            let end = min(one.sentBytes + WireLimits.chunkBytesMax, value.count)
            value[one.sentBytes..<end].withUnsafeBytes {
                ChunkOperation.append(
                    uploadID: one.forward.number.rawValue, totalBytes: value.count,
                    offset: one.sentBytes, bytes: $0, to: &writer)
            }
            message.finish(&writer, count: 1)
            one.sentBytes = end
            return writer.array
        }
        var description = SetOperation.Description()
        description.representation = write.representation
        if isLong {
            description.upload = .init(
                id: one.forward.number.rawValue, totalBytes: value.count)
        }
        let message = begin(.set, one.forward, &writer)
        write.key.bytes.withUnsafeBytes { key in
            (isLong ? [] : value).withUnsafeBytes {
                SetOperation.append(key: key, value: $0, description, to: &writer)
            }
        }
        message.finish(&writer, count: 1)
        return writer.array
    }

    private func begin(
        _ type: MessageType, _ forward: WriteForward, _ writer: inout ByteWriter
    ) -> MessageWriter {
        var message = MessageWriter(type, requestID: lastNumber, into: &writer)
        message.field(forward.write.namespace, into: &writer)
        message.field(forward.write.name, into: &writer)
        message.field(
            MessageFields.ID.deadline, UInt32(clamping: Self.ownerWait.wholeMilliseconds),
            into: &writer)
        message.field(forward.write.trace, into: &writer)
        message.field(cluster, into: &writer)
        message.field(
            forwarded: forward.ownedSince ?? .beyondAll, into: &writer)
        return message
    }

    // MARK: Answers

    private enum Answer {
        case received
        case outcome(WriteForwardOutcome)
    }

    /// - Returns: `nil` if it is no answer to a write.
    private static func read(_ frame: UnsafeRawBufferPointer) -> Answer? {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame)
            if message.type == .error { return .outcome(.failed(.unavailable)) }
            guard message.type == .results, message.count == 1 else { return nil }
            var reader = ByteReader(message.body)
            _ = try Proof(decoding: &reader)
            let result = try OperationResult(decoding: &reader)
            switch result.status {
            case .received: return .received
            case .stored, .removed: return .outcome(.accepted)
            case .refused:
                let fields = try ResultFields(decoding: result.fields)
                return .outcome(refusal(result.detail, Array((fields.message ?? "").utf8)))
            default: return .outcome(.failed(.unavailable))
            }
        } catch {
            return nil
        }
    }

    private static func refusal(
        _ detail: UInt8, _ words: [UInt8]
    ) -> WriteForwardOutcome {
        switch StoreRefusal(rawValue: detail) {
        case .invalidatedMeanwhile: .overtaken
        case .originRefused: .refused(WriteRejection(status: WriteRejection.atOwner, words: words))
        // They stay too long.
        case .outOfRange?, .tooLarge?:
            .refused(
                WriteRejection(
                    status: WriteRejection.atOwner,
                    words: Array("a key or value is outside its limits".utf8)))
        default: .failed(.unavailable)
        }
    }
}
