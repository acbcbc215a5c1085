import CacheModel
import CacheWire

/// Invalidations as fast as they are taken, a bounded number of them under way.
enum Flood {
    /// Invalidations of one key under way. A publisher queues a thousand replies for one peer,
    /// counts what was read in steps of five hundred, and drops the rest.
    static let windowMax = 400

    /// Publishes `count` of them, each answered once it is durable and broadcast.
    ///
    /// - Returns: the position of the last.
    static func run(
        _ peer: Peer, count: Int, window: Int, _ frame: (Int) -> [UInt8]
    ) throws -> LogPosition {
        var (sent, answered) = (0, 0)
        var last = LogPosition.none
        while answered < count {
            while sent < count, sent - answered < window {
                try peer.send(frame(sent))
                sent += 1
            }
            last = max(last, try peer.receive(Asking.receipt).position)
            answered += 1
            while let receipt = try peer.take(Asking.receipt) {
                last = max(last, receipt.position)
                answered += 1
            }
        }
        return last
    }
}
