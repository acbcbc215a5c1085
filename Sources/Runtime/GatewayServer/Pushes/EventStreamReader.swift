import NIOCore
import GatewayCore

/// A connection that receives events in the body of an answer: a queue that the task of the request
/// empties. The hub bounds it.
final class EventStreamReader: PushReader {
    enum Item: Sendable {
        case message(EncodedPush)
        case end(EncodedPush)

        var push: EncodedPush {
            switch self {
            case .message(let push), .end(let push): push
            }
        }
    }

    let items: AsyncStream<Item>
    private let queue: AsyncStream<Item>.Continuation

    init() { (items, queue) = AsyncStream.makeStream() }

    var loop: (any EventLoop)? { nil }
    var transport: PushTransport { .events }

    func take(_ push: EncodedPush) { queue.yield(.message(push)) }

    func end(_ push: EncodedPush, _ ending: PushEnding) {
        queue.yield(.end(push))
        queue.finish()
    }

    func flush(_ receipts: PushReceipts) {}
}
