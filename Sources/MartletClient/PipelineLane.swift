import ByteCoding
import CacheModel
import CacheWire
import ZeroMQ

/// One shard's end of a ``PipelinedConnection``: its socket, and the messages being filled.
final class PipelineLane {
    /// A message of one kind that is being filled.
    struct Draft: ~Copyable {
        let type: MessageType
        var writer = ByteWriter(capacityBytes: 16_384)
        /// Its place in the window; `nil` while there is no message.
        var place: Int?
        var count = 0
        private var message: MessageWriter?

        init(_ type: MessageType) { self.type = type }

        mutating func begin(at place: Int, requestID: UInt64, in namespace: Namespace) {
            writer.removeAll()
            var begun = MessageWriter(type, requestID: requestID, into: &writer)
            if namespace != .default { begun.field(namespace, into: &writer) }
            message = begun
            self.place = place
            count = 0
        }

        /// Completes the message; its bytes lie in the writer until the next one begins.
        ///
        /// - Returns: its place; `nil` if there is no message.
        mutating func seal() -> Int? {
            guard let place, let message else { return nil }
            message.finish(&writer, count: count)
            self.place = nil
            return place
        }
    }

    let socket: Socket
    var gets = Draft(.get)
    var sets = Draft(.set)

    /// - Parameter window: most messages on their way at once.
    init(_ context: Context, _ endpoint: Endpoint, window: Int) throws(ZeroMQError) {
        socket = try Socket(context, .dealer)
        // A refused send shall mean one thing only: nobody is connected. libzmq gives room back
        // for half a queue at a time and looks only now and then, so the queue is far longer
        // than the window, which is what bounds it.
        try socket.set(.sendHighWaterMark, to: 4 * window + 8_192)
        try socket.connect(endpoint)
    }
}
