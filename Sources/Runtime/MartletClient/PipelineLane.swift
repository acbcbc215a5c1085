import CacheModel
import CacheWire
import ZeroMQ

/// One connection to a shard, or to the publisher: its socket, and the messages being filled.
final class PipelineLane {
    let socket: Socket
    var gets = PipelineDraft(.get)
    /// Stores without a token.
    var sets = PipelineDraft(.set)
    /// Stores with a token, separate from the others: docs/decisions/0087.
    var fills = PipelineDraft(.set)
    var removes = PipelineDraft(.delete)
    var invalidations = PipelineDraft(.invalidate)

    /// - Parameter window: most messages in flight.
    init(_ context: Context, _ endpoint: Endpoint, window: Int) throws(ZeroMQError) {
        socket = try Socket(context, .dealer)
        // A refused send must mean only that no peer is connected. libzmq frees queue capacity for
        // half a queue at a time, and checks only now and then. So the queue is far longer than the
        // window, and the window is the bound.
        try socket.set(.sendHighWaterMark, to: 4 * window + 8_192)
        try socket.connect(endpoint)
    }
}
