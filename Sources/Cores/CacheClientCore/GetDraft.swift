import ByteCoding
package import CacheModel
package import CacheWire

/// A message of gets that is being filled: keys are written straight into its bytes.
///
/// Not copyable, because it owns the bytes. It is reused, and allocates nothing after the first few
/// messages.
package struct GetDraft: ~Copyable {
    /// The properties that the gets of one message share.
    package struct Head: Hashable, Sendable {
        package var namespace: Namespace
        package var atLeast: LogPosition?
        package var topologyVersion: UInt32
        /// None if unknown.
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

    package private(set) var head: Head?
    package private(set) var count = 0
    /// When it was begun; its wait counts from here.
    package private(set) var begunAt = Instant(nanoseconds: 0)
    package private(set) var deadline = Instant(nanoseconds: .max)
    private var writer: ByteWriter
    private var message: MessageWriter?
    private var deadlineOffset = 0

    package init() {
        writer = ByteWriter(capacityBytes: 8_192)
    }

    package func takes(
        _ namespace: Namespace, _ atLeast: LogPosition?, topologyVersion: UInt32
    ) -> Bool {
        guard let head else { return false }
        return head.atLeast == atLeast && head.topologyVersion == topologyVersion
            && head.namespace == namespace
    }

    package var isFull: Bool { count == ClientLimits.operationsPerMessageMax }

    /// Allocated bytes, whatever the contents.
    package var capacityBytes: Int { writer.capacity }

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

    /// Sets the deadline of the gets that still wait, after gets with an earlier one have ended.
    package mutating func lasts(until deadline: Instant) { self.deadline = deadline }

    /// When an attempt that is sent now times out: an answer has the full time of an attempt,
    /// however long the message waited before.
    package func attemptEnd(from now: Instant) -> Instant {
        min(deadline, now.advanced(by: ClientLimits.attemptTimeout))
    }

    /// Completes the message, to be sent now.
    ///
    /// - Returns: its bytes, valid until the next message begins or completes.
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
