import CacheModel
import Logging
import MartletClient
import GatewayCore
import Threading

/// Follows the log for all subscribers: one stream, which begins as far back as the publisher and
/// the ring reach, so that clients that return to a newly started gateway can resume.
struct PushFollower {
    var sharedHub: SharedPushHub
    var client: CacheClient
    /// Removes entries that the log covers; `nil` if there is none.
    var near: SharedNearCache?
    var logger: Logger

    private static let pause: Duration = .seconds(1)

    func follow() async {
        var complained = false
        while !Task.isCancelled {
            do throws(CacheError) {
                defer { near?.cut() }
                let start = try await start()
                let stream = try await client.invalidations(
                    from: start?.position, of: start?.cluster ?? .none)
                if let start { near?.follows(after: start.position) }
                complained = false
                await hear(stream)
                if let failure = stream.failure { throw failure }
            } catch {
                if !complained, !Task.isCancelled {
                    logger.warning("pushes wait: the log cannot be followed: \(error)")
                }
                complained = true
            }
            guard await Task.slept(for: Self.pause) else { return }
        }
    }

    /// Reads a stream to its end, or until the client is of another cluster.
    func hear(_ stream: InvalidationStream) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await take(stream) }
            group.addTask { await watch(stream) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    /// Ends once the client is of another cluster. The stream itself does not report that if its
    /// publisher is dead.
    private func watch(_ stream: InvalidationStream) async {
        while client.isOfCluster(of: stream), await Task.slept(for: Self.pause) {}
    }

    private func take(_ stream: InvalidationStream) async {
        for await event in stream {
            let cluster = client.clusterID
            if case .heartbeat = event, !client.isOfCluster(of: stream) { return }
            await hear(event, isPartial: stream.isPartial, of: cluster) {
                () async throws(CacheError) in
                try await client.cluster.topology(isRefreshed: true).cluster
            }
        }
    }

    /// Passes on an event, and determines the cluster of the log if it may have changed.
    ///
    /// - Parameters:
    ///   - cluster: the client's current one. A heartbeat without a loss before it is of that
    ///     cluster's log.
    ///   - ask: asks the cluster. If it fails, the heartbeats report it later.
    func hear(
        _ event: InvalidationStream.Event, isPartial: Bool, of cluster: ClusterID,
        asking ask: () async throws(CacheError) -> ClusterID
    ) async {
        if case .heartbeat = event { learn(cluster) }
        hear(event, isPartial: isPartial)
        guard case .lost = event else { return }
        do throws(CacheError) {
            learn(try await ask())
        } catch {
            logger.debug("pushes: the cluster of the log is not known: \(error)")
        }
    }

    private func learn(_ cluster: ClusterID) {
        sharedHub.tell { hub, now, actions in hub.isOf(cluster, now: now, into: &actions) }
    }

    /// Where to resume, or to begin: as many records before the head as the ring holds, if the
    /// publisher still has them.
    private func start() async throws(CacheError) -> ClusterPosition? {
        if let place = sharedHub.place { return place }
        let status: StatusSnapshot
        do throws(CacheError) {
            status = try await client.cluster.publisherStatus()
        } catch {
            // Without the right to metrics it begins at the head, and reports that history is gone.
            guard error.code == .unauthorised else { throw error }
            return nil
        }
        let head = status.position.sequence.rawValue
        let tail = max(status.figures["log_tail"] ?? head + 1, 1) - 1
        let oldest = head - min(head, UInt64(PushLimits.ringRecordsMax))
        let start = LogPosition(
            epoch: status.position.epoch,
            sequence: SequenceNumber(min(max(tail, oldest), head)))
        let cluster = client.clusterID
        sharedHub.tell { hub, _, _ in hub.follows(after: start) }
        learn(cluster)
        return ClusterPosition(start, of: cluster)
    }

    private func hear(_ event: InvalidationStream.Event, isPartial: Bool) {
        near?.hear(event)
        sharedHub.tell { hub, now, actions in
            switch event {
            case .record(let record): hub.received(record, now: now, into: &actions)
            case .lost(_, let position):
                hub.lost(continuingAfter: position, now: now, into: &actions)
            case .heartbeat(let head):
                hub.beat(head: head, isPartial: isPartial, now: now, into: &actions)
            }
        }
    }
}
