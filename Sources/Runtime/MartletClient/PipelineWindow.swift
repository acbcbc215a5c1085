import CacheModel
import CacheWire
import ZeroMQ

/// The messages in flight: a place for each, found by the number in its request id.
///
///     request id   generation 32 │ place 32
///
/// A place is reused under the next generation, so that a late answer matches nothing.
struct PipelineWindow {
    /// One message in flight, or a free place for one.
    struct Place {
        var generation: UInt32 = 0
        var isOpen = false
        var count = 0
        var sentAt = Instant(nanoseconds: 0)
    }

    struct Operation {
        let tag: UInt32
        let isFirst: Bool
        let isLast: Bool
        let sentAt: Instant
    }

    let batch: Int
    private(set) var places: [Place]
    private var free: [Int]
    /// The callers' tags: `batch` of them for each place.
    private var tags: [UInt32]
    /// Request ids of messages that are given up, until they are reported to the caller. One may be
    /// answered before that: then its place is free, or taken under another id.
    private var lost: [UInt64] = []

    init(messages: Int, batch: Int) {
        self.batch = batch
        places = Array(repeating: Place(), count: messages)
        free = Array((0..<messages).reversed())
        tags = Array(repeating: 0, count: messages * batch)
    }

    var openCount: Int { places.count - free.count }
    var isFull: Bool { free.isEmpty }

    /// Takes a free place for a message.
    ///
    /// - Returns: the place and the message's request id; `nil` if all are taken.
    mutating func claim() -> (place: Int, requestID: UInt64)? {
        guard let place = free.popLast() else { return nil }
        places[place].generation &+= 1
        places[place].isOpen = true
        return (place, requestID(of: place))
    }

    private func requestID(of place: Int) -> UInt64 {
        UInt64(places[place].generation) << 32 | UInt64(place)
    }

    mutating func note(_ tag: UInt32, at place: Int, index: Int) {
        tags[place * batch + index] = tag
    }

    /// The operation at `index` of a message with those contents.
    func operation(_ index: Int, at place: Int, of held: Place) -> Operation {
        Operation(
            tag: tags[place * batch + index], isFirst: index == 0,
            isLast: index == held.count - 1, sentAt: held.sentAt)
    }

    mutating func sent(_ place: Int, count: Int, at moment: Instant) {
        places[place].count = count
        places[place].sentAt = moment
    }

    mutating func lose(_ place: Int) { lost.append(requestID(of: place)) }

    /// Frees the place of an answer.
    ///
    /// - Returns: the place and its contents; `nil` if no message waits for that answer any more.
    mutating func close(requestID: UInt64) -> (place: Int, held: Place)? {
        let place = Int(UInt32(truncatingIfNeeded: requestID))
        guard place < places.count, places[place].isOpen,
            places[place].generation == UInt32(truncatingIfNeeded: requestID >> 32)
        else { return nil }
        let held = places[place]
        close(place)
        return (place, held)
    }

    /// Gives up messages that were sent before that moment.
    ///
    /// - Returns: when the last of them was sent; `nil` if there were none.
    /// - Complexity: O(messages).
    @discardableResult
    mutating func loseAll(sentBefore moment: Instant) -> Instant? {
        var last: Instant?
        for place in places.indices
        where places[place].isOpen && places[place].count > 0 && places[place].sentAt < moment {
            lose(place)
            last = max(last ?? places[place].sentAt, places[place].sentAt)
        }
        return last
    }

    /// Reports every operation of the lost messages.
    ///
    /// - Returns: how many operations there were.
    mutating func tellLost(_ body: (PipelinedCompletion) -> Void) -> Int {
        guard !lost.isEmpty else { return 0 }
        var count = 0
        for id in lost {
            guard let (place, held) = close(requestID: id) else { continue }
            for index in 0..<held.count {
                body(PipelinedCompletion(operation(index, at: place, of: held), .lost))
            }
            count += held.count
        }
        lost.removeAll(keepingCapacity: true)
        return count
    }

    private mutating func close(_ place: Int) {
        places[place].isOpen = false
        places[place].count = 0
        free.append(place)
    }
}

/// One connection to a shard, or to the publisher: its socket, and the messages being filled.
final class PipelineLane {
    /// Empty while it is not known.
    let endpoint: String
    let socket: Socket
    var gets = PipelineDraft(.get)
    /// Stores without a token.
    var sets = PipelineDraft(.set)
    /// Stores with a token, separate from the others: docs/decisions/0087.
    var fills = PipelineDraft(.set)
    var removes = PipelineDraft(.delete)
    var invalidations = PipelineDraft(.invalidate)

    /// - Parameters:
    ///   - endpoint: `nil` while it is not known: what is sent over the lane is lost.
    ///   - window: most messages in flight.
    init(_ context: Context, _ endpoint: Endpoint?, window: Int) throws(ZeroMQError) {
        self.endpoint = endpoint?.description ?? ""
        socket = try Socket(context, .dealer)
        // A refused send must mean only that no peer is connected. libzmq frees queue capacity for
        // half a queue at a time, and checks only now and then. So the queue is far longer than the
        // window, and the window is the bound.
        try socket.set(.sendHighWaterMark, to: 4 * window + 8_192)
        if let endpoint { try socket.connect(endpoint) }
    }
}
