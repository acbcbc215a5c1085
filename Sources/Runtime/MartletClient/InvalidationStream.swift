public import CacheModel
import CacheWire

/// The invalidations of a cluster, each once and in the order of the log.
///
///     for await event in try await client.invalidations(from: position) { … }
///
/// Invalidations that the live channel loses are replayed from the publisher. Those that the
/// publisher no longer keeps are missing, and an event reports the loss. The publisher does not
/// wait for a slow reader: events beyond the buffer are replayed once it has capacity. The stream
/// ends when its reader's task is cancelled, when the client is closed, or when its key loses the
/// right to follow. It never ends because a publisher is down. If another publisher leads, the
/// stream goes on there, after the last event.
///
/// If the client's key may read only a part of the cluster, the stream shows what covers keys of
/// that part. Its events name nothing else: a tag, a namespace or a wider prefix appears as the
/// prefix of the keys that this key may read. See ``isPartial``.
///
/// A stream has one reader at a time: two readers would share the events.
public struct InvalidationStream: AsyncSequence, Sendable {
    /// An event of the log.
    public enum Event: Hashable, Sendable {
        case record(InvalidationRecord)
        /// Records after the first position and up to the second are lost: the publisher no longer
        /// keeps them, or the log is another one. Data derived from the log may be wrong.
        case lost(after: LogPosition, continuingAfter: LogPosition)
        /// The publisher is alive, and this is its newest position. Twice a second, and once a
        /// second on a partial stream.
        case heartbeat(head: LogPosition)
    }

    public typealias Element = Event
    public typealias Failure = Never

    let feed: EventFeed
    /// The topology at the start: the stream begins at the publisher of that topology, and goes on
    /// at each one that leads after it.
    let topology: Topology

    package var cluster: ClusterID { topology.cluster }

    /// Whether the stream shows only what this client's key may read. This may change later, when
    /// the key loses a part of its permissions.
    public var isPartial: Bool { feed.queue.isPart }

    /// Why the stream ended; `nil` while it runs, or if its reader ended it.
    public var failure: CacheError? { feed.queue.failure }

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
    /// - Parameters:
    ///   - start: the position after which to begin; `nil` begins with the next invalidation. If
    ///     the publisher no longer keeps the next record, the stream begins with
    ///     ``InvalidationStream/Event/lost(after:continuingAfter:)``.
    ///   - cluster: the cluster of that position, from ``ClusterTopology/cluster``; none if
    ///     unknown. With a position of another cluster the stream begins with that event, too.
    /// - Throws: ``CacheError/Code/disconnected`` if no endpoint reports where the publisher is;
    ///   ``CacheError/Code/unauthorised`` if this client's key may see no invalidations. If the key
    ///   loses that right later, the stream ends and ``InvalidationStream/failure`` holds the
    ///   reason.
    public func invalidations(
        from start: LogPosition? = nil, of cluster: ClusterID = .none
    ) async throws(CacheError) -> InvalidationStream {
        let topology = try await loop.topology(deadline: loop.deadline(nil))
        let isVoid = cluster.contradicts(topology.cluster)
        guard await EventFeed.isTurnedAway(loop, topology) else {
            return InvalidationStream(
                feed: try EventFeed(loop, topology, from: .live(start, isVoid: isVoid)),
                topology: topology)
        }
        let place = try await firstPlace(start)
        return InvalidationStream(
            feed: try EventFeed(loop, topology, from: .part(place, isVoid: isVoid && start != nil)),
            topology: topology)
    }

    /// Whether the client is still of the cluster that a stream follows, or does not know its own.
    /// If not, the stream receives no more events of the log: begin a new one.
    package func isOfCluster(of stream: InvalidationStream) -> Bool {
        guard let known = loop.latestTopology else { return true }
        return !known.cluster.contradicts(stream.topology.cluster)
    }

    /// The position where a reader of a part of the log begins. The publisher is asked in any case:
    /// it refuses a client that may see nothing.
    private func firstPlace(_ start: LogPosition?) async throws(CacheError) -> LogMark {
        let question = AdminRequest(ofHeadUntil: try loop.deadline(nil))
        let answer = try await loop.ask(question, .followed, Followed.init(decoding:))
        return start.map { LogMark(position: $0, digest: LogDigest(0)) } ?? answer.through
    }
}
