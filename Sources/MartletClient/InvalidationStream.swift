public import CacheModel
import CacheClientCore

/// The invalidations of a cluster, each once and in the order of the log.
///
///     for await event in try await client.invalidations(from: position) { … }
///
/// What the live channel loses is replayed from the publisher; only what the publisher no longer
/// has is missing, and an event says so. A reader that is slow is not waited for: what finds no
/// room is replayed when there is some. The stream ends when its reader's task is cancelled, when
/// the client is closed, and never for a publisher that is down.
///
/// One reader at a time: two of them share the events.
public struct InvalidationStream: AsyncSequence, Sendable {
    /// What happened to the log.
    public enum Event: Hashable, Sendable {
        case record(InvalidationRecord)
        /// Records after the one position and up to the other can no longer be had: the publisher
        /// does not keep them, or the log is another one. Whatever was derived from them is in
        /// doubt.
        case lost(after: LogPosition, continuingAfter: LogPosition)
        /// The publisher lives, and this is its newest position. Twice a second.
        case heartbeat(head: LogPosition)
    }

    public typealias Element = Event
    public typealias Failure = Never

    let feed: EventFeed

    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    public struct Iterator: AsyncIteratorProtocol {
        let feed: EventFeed

        /// The next event; `nil` at the end of the stream.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            await feed.queue.next()
        }
    }
}

extension CacheClient {
    /// Follows the invalidations.
    ///
    /// - Parameter start: after which position to begin; `nil` begins with the next one. A
    ///   position before what the publisher keeps begins with ``InvalidationStream/Event/lost``.
    /// - Throws: ``CacheError/Code/disconnected`` if nobody tells where the publisher is;
    ///   ``CacheError/Code/unauthorised`` if this client's key may not see all of them. One that
    ///   loses that right later hears nothing more.
    public func invalidations(
        from start: LogPosition? = nil
    ) async throws(CacheError) -> InvalidationStream {
        let topology = try await loop.topology(deadline: deadline(nil))
        try await EventFeed.checkAdmission(loop, topology)
        return InvalidationStream(feed: try EventFeed(loop, topology, from: start))
    }
}
