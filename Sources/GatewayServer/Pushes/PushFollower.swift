import CacheModel
import Logging
import MartletClient
import PushCore

/// Follows the log for all subscribers: one stream, which begins as far back as the publisher and
/// the ring reach, so that those who come back to a gateway that was just started find their place.
struct PushFollower {
    var desk: PushDesk
    var client: CacheClient
    /// Lets go of what the log covers; `nil` if there is none.
    var near: NearDesk?
    var logger: Logger

    private static let pause: Duration = .seconds(1)

    func follow() async {
        var complained = false
        while !Task.isCancelled {
            do throws(CacheError) {
                defer { near?.cut() }
                try await learnCluster(isRefreshed: false)
                let start = try await start()
                let stream = try await client.invalidations(from: start)
                if let start { near?.follows(after: start) }
                complained = false
                for await event in stream {
                    // It may be another one's now.
                    if case .lost = event { try await learnCluster(isRefreshed: true) }
                    hear(event, isPartial: stream.isPartial)
                }
                if let failure = stream.failure { throw failure }
            } catch {
                if !complained, !Task.isCancelled {
                    logger.warning("pushes wait: the log cannot be followed: \(error)")
                }
                complained = true
            }
            do {
                try await Task.sleep(for: Self.pause)
            } catch {
                return
            }
        }
    }

    private func learnCluster(isRefreshed: Bool) async throws(CacheError) {
        let cluster = try await client.topology(isRefreshed: isRefreshed).cluster
        desk.tell { hub, _, _ in hub.isOf(cluster) }
    }

    /// Where to go on, or to begin: so many records before the head as the ring holds, if the
    /// publisher still has them.
    private func start() async throws(CacheError) -> LogPosition? {
        if let position = desk.position { return position }
        let status: StatusSnapshot
        do throws(CacheError) {
            status = try await client.publisherStatus()
        } catch {
            // Whoever may not ask for figures begins at the head, and says that history is gone.
            guard error.code == .unauthorised else { throw error }
            return nil
        }
        let head = status.position.sequence.rawValue
        let tail = max(status.figures["log_tail"] ?? head + 1, 1) - 1
        let oldest = head - min(head, UInt64(PushLimits.ringRecordsMax))
        let start = LogPosition(
            epoch: status.position.epoch,
            sequence: SequenceNumber(min(max(tail, oldest), head)))
        desk.tell { hub, _, _ in hub.follows(after: start) }
        return start
    }

    private func hear(_ event: InvalidationStream.Event, isPartial: Bool) {
        near?.hear(event)
        desk.tell { hub, now, actions in
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
