import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire

/// A message of one kind that is being filled.
struct PipelineDraft: ~Copyable {
    let type: MessageType
    var writer = ByteWriter(capacityBytes: 16_384)
    /// Its place in the window; `nil` while there is no message.
    private(set) var place: Int?
    private(set) var count = 0
    private var message: MessageWriter?

    init(_ type: MessageType) { self.type = type }

    /// - Parameters:
    ///   - namespace: for the header; the default one is omitted.
    ///   - cluster: the cluster to ask; none if unknown.
    ///   - version: of the topology that routes it; `nil` for the publisher.
    mutating func begin(
        at place: Int, requestID: UInt64, in namespace: Namespace, of cluster: ClusterID,
        routedBy version: UInt32? = nil
    ) {
        writer.removeAll()
        var begun = MessageWriter(type, requestID: requestID, into: &writer)
        if namespace != .default { begun.field(namespace, into: &writer) }
        if let version { begun.field(MessageFields.ID.topology, version, into: &writer) }
        begun.field(cluster, into: &writer)
        message = begun
        self.place = place
        count = 0
    }

    /// Whether to send it before adding an operation of so many bytes.
    ///
    /// - Parameter bytes: of key and value.
    func lacksRoom(for bytes: Int) -> Bool {
        place != nil
            && writer.count + bytes + Self.operationHeadMax > ClientLimits.bodyBytesMax
    }

    /// Upper bound of an operation's bytes beside its key and value: lengths, a token.
    private static let operationHeadMax = 512

    mutating func added() { count += 1 }

    /// Completes the message; its bytes stay in the writer until the next one begins.
    ///
    /// - Returns: its place; `nil` if there is no message.
    mutating func seal() -> Int? {
        guard let place, let message else { return nil }
        message.finish(&writer, count: count)
        self.place = nil
        return place
    }
}
