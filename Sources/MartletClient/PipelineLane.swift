import CacheModel
import CacheWire
import ZeroMQ

/// One connection to a shard, or to the publisher: its socket, and the messages being filled.
final class PipelineLane {
    let socket: Socket
    var gets = PipelineDraft(.get)
    /// Stores without a token.
    var sets = PipelineDraft(.set)
    /// Stores by a token, apart from the others: docs/decisions/0087.
    var fills = PipelineDraft(.set)
    var removes = PipelineDraft(.delete)
    var invalidations = PipelineDraft(.invalidate)

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
