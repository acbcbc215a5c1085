public import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire
import Threading

/// The invalidations of a cluster, each once and in the order of the log.
///
///     for await event in try await client.invalidations(from: position) { … }
///
/// What the live channel loses is replayed from the publisher; only what the publisher no longer
/// has is missing, and an event says so. A reader that is slow is not waited for: what finds no
/// room is replayed when there is some. The stream ends when its reader's task is cancelled, when
/// the client is closed, when its key may not follow any more, and never for a publisher that is
/// down.
///
/// Where the client's key may read only a part of the cluster, it is shown what covers keys of that
/// part, in words that name nothing else: a tag, a namespace or a prefix that reaches further is
/// told as the beginning of the keys that it may read. See ``isPartial``.
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
        /// The publisher lives, and this is its newest position. Twice a second, and once where
        /// only a part is shown.
        case heartbeat(head: LogPosition)
    }

    public typealias Element = Event
    public typealias Failure = Never

    let feed: EventFeed
    /// By which it was begun: it goes on following that one's publisher.
    let topology: Topology

    /// That of the topology by which it was begun; none where it is not known.
    package var cluster: ClusterID { topology.cluster }

    /// Whether only what this client's key may read is shown. It may become so later, when the
    /// key loses a part of its rights.
    public var isPartial: Bool { feed.queue.isPart }

    /// Why the stream ended; `nil` while it goes on, and where it was its reader's doing.
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
    ///   - start: after which position to begin; `nil` begins with the next one. A position before
    ///     what the publisher keeps begins with ``InvalidationStream/Event/lost``.
    ///   - cluster: of which cluster that position is, as ``ClusterTopology/cluster`` told it; none
    ///     where that is not known. One of another cluster begins with that event, too.
    /// - Throws: ``CacheError/Code/disconnected`` if nobody tells where the publisher is;
    ///   ``CacheError/Code/unauthorised`` if this client's key may not see any of them. The stream
    ///   of one that loses that right later ends, and ``InvalidationStream/failure`` says why.
    public func invalidations(
        from start: LogPosition? = nil, of cluster: ClusterID = .none
    ) async throws(CacheError) -> InvalidationStream {
        let topology = try await loop.topology(deadline: deadline(nil))
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

    /// Whether the topology of now still names the publisher that a stream follows. Where it does
    /// not, nothing may be heard of the log any more: a stream is to be begun anew.
    ///
    /// No topology, or one that does not know where its publisher is, changes nothing.
    package func names(publisherOf stream: InvalidationStream) -> Bool {
        guard let known = loop.latestTopology else { return true }
        let followed = stream.topology
        return !known.cluster.contradicts(followed.cluster)
            && ["", followed.controlEndpoint].contains(known.controlEndpoint)
            && ["", followed.liveEndpoint].contains(known.liveEndpoint)
    }

    /// Where one who sees a part begins. It is asked for in any case: who may see nothing at all
    /// is told here.
    private func firstPlace(_ start: LogPosition?) async throws(CacheError) -> LogMark {
        var request = FollowRequest(after: .none, limit: 1, holdMilliseconds: 0)
        request.isFromHead = true
        var writer = ByteWriter(capacityBytes: 64)
        request.encode(requestID: 0, into: &writer)
        let frame = try await loop.ask(
            AdminRequest(
                .publisher, message: writer.array,
                schedule: RetrySchedule(.read, deadline: deadline(nil), seed: 0)))
        let answer = try Self.decode(frame, .followed) { message throws(WireRefusal) in
            try Followed(decoding: message)
        }
        return start.map { LogMark(position: $0, digest: LogDigest(0)) } ?? answer.through
    }
}
