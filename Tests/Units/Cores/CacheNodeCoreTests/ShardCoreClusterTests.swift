import ByteCoding
import CacheAccess
import CacheLoading
import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What a shard says to those who take it for one of another cluster: docs/decisions/0089.
@Suite struct ShardCoreClusterTests {
    private let ours = ClusterID(0xA)
    private let theirs = ClusterID(0xB)

    private func shard(of cluster: ClusterID) -> ShardHarness {
        var shard = ShardHarness()
        var standing = shard.core.standing
        standing.cluster = cluster
        shard.core.setStanding(standing)
        return shard
    }

    private func get(of cluster: ClusterID) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 3, into: &writer)
        message.field(cluster, into: &writer)
        Array("k".utf8).withUnsafeBytes { GetOperation.append(key: $0, options: [], to: &writer) }
        message.finish(&writer, count: 1)
        return writer.array
    }

    private func set(of cluster: ClusterID) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.set, requestID: 4, into: &writer)
        message.field(cluster, into: &writer)
        Array("k".utf8).withUnsafeBytes { key in
            SetOperation.append(key: key, value: key, SetOperation.Description(), to: &writer)
        }
        message.finish(&writer, count: 1)
        return writer.array
    }

    /// Which cluster the one answer names.
    private func named(
        _ frame: [UInt8], by shard: inout ShardHarness
    ) throws -> (type: MessageType, cluster: ClusterID) {
        shard.replies.removeAll()
        let now = shard.now
        frame.withUnsafeBytes { bytes in
            let frames = [
                RequestFrame(peer: ShardHarness.peer, bytes: bytes, principal: .unknown)
            ]
            _ = frames.withUnsafeBufferPointer { frames in
                shard.core.turn(
                    frames, from: 0, now: now, into: &shard.replies, effects: &shard.effects)
            }
        }
        let entry = try #require(shard.replies.entries.first)
        let message = try MessageView(decoding: shard.replies.bytes(of: entry))
        return (message.type, message.fields.cluster)
    }

    @Test func aRequestOfAnotherClusterIsRefusedAndNothingIsDone() throws {
        var shard = shard(of: ours)
        for frame in [get(of: theirs), set(of: theirs)] {
            let replies = shard.send(frame)
            guard case .error(let error)? = replies.first else {
                Issue.record("it was served")
                continue
            }
            #expect(error.knownCode == .wrongCluster)
        }
        let replies = shard.send(get(of: ours))
        guard case .results(_, let outcomes)? = replies.first else {
            Issue.record("a shard answers those of its own cluster")
            return
        }
        #expect(outcomes.map(\.status) == [.miss])
    }

    @Test func aReplyNamesTheClusterOnlyToRequestsThatNameIt() throws {
        var shard = shard(of: ours)
        for (frame, type, cluster) in [
            (get(of: ours), MessageType.results, ours), (set(of: ours), .results, ours),
            (get(of: .none), .results, .none), (get(of: theirs), .error, .none),
        ] {
            let answer = try named(frame, by: &shard)
            #expect(answer.type == type && answer.cluster == cluster)
        }
    }

    @Test func aShardThatKnowsNoClusterChecksNothing() throws {
        var shard = shard(of: .none)
        let answer = try named(get(of: theirs), by: &shard)
        #expect(answer.type == .results && answer.cluster == .none)
    }

    private func become(_ cluster: ClusterID, _ shard: inout ShardHarness) {
        var standing = shard.core.standing
        standing.cluster = cluster
        shard.core.setStanding(standing)
    }

    private func naming(_ cluster: ClusterID, _ frame: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        MessageWriter.append(frame, from: cluster, to: &writer)
        return writer.array
    }

    /// Whoever is told that nothing was done does it again.
    @Test func aWriteThatWasDoneIsAnsweredThoughTheClusterHasChanged() throws {
        var shard = shard(of: ours)
        shard.readThrough { _, origin in origin.writesBehind = true }
        for frame in [shard.setFrame("a", "one"), shard.deleteFrame(["a"])] {
            become(ours, &shard)
            #expect(shard.send(naming(ours, frame)).isEmpty)
            let order = shard.takeWrites().first
            become(theirs, &shard)
            let position = shard.invalidate(.key("a"))
            let statuses = shard.end(order, .taken(position)).map(\.status)
            #expect(statuses == [frame[3] == MessageType.set.rawValue ? .stored : .removed])
        }
    }

    /// The record is in a log that the shard does not follow any more. The value is not shown as
    /// one of the other cluster.
    @Test(arguments: [true, false])
    func afterAClusterChangeOnlyAnOrderedDeleteSucceeds(isOrdered: Bool) throws {
        var shard = ShardHarness(isReplicated: true)
        for frame in [shard.setFrame("a", "one"), shard.deleteFrame(["a"])] {
            become(ours, &shard)
            #expect(shard.send(naming(ours, frame)).isEmpty)
            let ticket = shard.effects.compactMap { effect -> UInt64? in
                if case .publish(let request) = effect { request.ticket } else { nil }
            }.last
            become(theirs, &shard)
            let position = shard.invalidate(.key("a"))
            shard.core.published(
                ticket: try #require(ticket), at: isOrdered ? position : nil)
            let statuses = shard.finishedOutcomes().map(\.status)
            let isRemoved = isOrdered && frame[3] == MessageType.delete.rawValue
            #expect(statuses == [isRemoved ? .removed : .refused])
        }
        #expect(shard.get("a").status == .miss)
    }

    /// What it waited for, it waited for as one of its cluster.
    @Test func aWaitingRequestIsRefusedOnceTheNodeChangesItsCluster() throws {
        var shard = shard(of: ours)
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 3, into: &writer)
        let next = shard.core.applied.position.next
        message.field(MessageFields.ID.atLeast, next, into: &writer)
        message.field(ours, into: &writer)
        Array("k".utf8).withUnsafeBytes { GetOperation.append(key: $0, options: [], to: &writer) }
        message.finish(&writer, count: 1)
        let kept = shard.send(writer.array)
        #expect(kept.isEmpty)
        var standing = shard.core.standing
        standing.cluster = theirs
        shard.core.setStanding(standing)
        _ = shard.invalidate(Scope(.everything))
        let replies = shard.finishWaiting()
        guard case .error(let error)? = replies.first else {
            Issue.record("it was served")
            return
        }
        #expect(error.knownCode == .wrongCluster)
    }
}
