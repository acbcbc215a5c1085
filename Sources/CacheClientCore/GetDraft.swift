import ByteCoding
package import CacheModel
package import CacheWire

/// A message of gets that is being filled: keys go straight into its bytes.
///
/// Not copyable, because it owns them; used again and again, and after the first few messages it
/// allocates nothing.
package struct GetDraft: ~Copyable {
    /// What the gets of one message share.
    package struct Head: Hashable, Sendable {
        package var namespace: Namespace
        package var atLeast: LogPosition?
        package var topologyVersion: UInt32
        /// None where it is not known.
        package var cluster: ClusterID

        package init(
            _ namespace: Namespace, atLeast: LogPosition?, topologyVersion: UInt32,
            cluster: ClusterID = .none
        ) {
            self.namespace = namespace
            self.atLeast = atLeast
            self.topologyVersion = topologyVersion
            self.cluster = cluster
        }
    }

    /// What it was begun with; `nil` before the first message.
    package private(set) var head: Head?
    /// Gets in it.
    package private(set) var count = 0
    /// When it was begun: what it is held back is counted from here.
    package private(set) var begunAt = Instant(nanoseconds: 0)
    /// When the first of its gets has no more time.
    package private(set) var deadline = Instant(nanoseconds: .max)
    private var writer: ByteWriter
    private var message: MessageWriter?
    private var deadlineOffset = 0

    package init() {
        writer = ByteWriter(capacityBytes: 8_192)
    }

    /// Whether such a get may share this message.
    package func takes(
        _ namespace: Namespace, _ atLeast: LogPosition?, topologyVersion: UInt32
    ) -> Bool {
        guard let head else { return false }
        return head.atLeast == atLeast && head.topologyVersion == topologyVersion
            && head.namespace == namespace
    }

    package var isFull: Bool { count == ClientLimits.operationsPerMessageMax }

    /// Bytes that it holds on to, whatever is in it.
    package var capacityBytes: Int { writer.capacity }

    /// Begins an empty message.
    package mutating func begin(_ head: Head, at now: Instant) {
        self.head = head
        count = 0
        begunAt = now
        deadline = Instant(nanoseconds: .max)
        writer.removeAll()
        var message = MessageWriter(.get, requestID: 0, into: &writer)
        message.field(head.namespace, into: &writer)
        if let position = head.atLeast {
            message.field(MessageFields.ID.atLeast, position, into: &writer)
        }
        message.field(MessageFields.ID.deadline, UInt32(0), into: &writer)
        deadlineOffset = writer.count - MemoryLayout<UInt32>.size
        message.field(MessageFields.ID.topology, head.topologyVersion, into: &writer)
        message.field(head.cluster, into: &writer)
        self.message = message
    }

    /// Adds a get.
    ///
    /// - Parameter deadline: of the call.
    /// - Precondition: begun and not full; the key is a legal one.
    package mutating func append(
        key: [UInt8], options: GetOperation.Options, deadline: Instant
    ) {
        precondition(!isFull, "a full message is sent before there is another")
        self.deadline = min(self.deadline, deadline)
        key.withUnsafeBytes { GetOperation.append(key: $0, options: options, to: &writer) }
        count += 1
    }

    /// Those of its gets that had less time have ended: the others have until then.
    package mutating func lasts(until deadline: Instant) { self.deadline = deadline }

    /// When it has waited long enough for an answer, if it is sent now: however long it was held
    /// back before, an answer has an attempt's time.
    package func attemptEnd(from now: Instant) -> Instant {
        min(deadline, now.advanced(by: ClientLimits.attemptTimeout))
    }

    /// Completes it, to be sent now.
    ///
    /// - Returns: its bytes, valid until it is begun or completed again.
    package mutating func finish(requestID: UInt64, at now: Instant) -> UnsafeRawBufferPointer {
        guard let message else { preconditionFailure("only what was begun can be completed") }
        let patience = RetrySchedule.keepingMilliseconds(
            patience: attemptEnd(from: now).elapsed(since: now))
        writer.patch(patience, at: deadlineOffset)
        writer.patch(requestID, at: 8)
        message.finish(&writer, count: count)
        return writer.bytes
    }
}
