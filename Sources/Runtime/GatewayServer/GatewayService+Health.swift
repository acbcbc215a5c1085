package import CacheMetrics
import CacheModel
import MartletClient
import Telemetry

extension GatewayService {
    /// Waits until every node of the cluster has answered once, for a limited time.
    ///
    /// A refused connection is retried after up to a second. A gateway that listened before would
    /// refuse the first requests although the cluster is available.
    func meet() async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let meeting = Task { [watch] in
            while !Task.isCancelled, await !watch.look().isComplete {
                try await Task.sleep(for: GatewayLimits.meetingPause)
            }
            end.yield()
        }
        let patience = Task {
            try await Task.sleep(for: GatewayLimits.meetingTimeMax)
            end.yield()
        }
        for await _ in ends { break }
        meeting.cancel()
        patience.cancel()
    }
}

extension GatewayService {
    /// Asks every event loop, and calls back once all have answered: with the gateway's counters,
    /// and the processes it reached at the last check. May be called at any time after creation.
    package func takeReport(_ whole: @escaping @Sendable (any HealthReport) -> Void) {
        takePulse { [self] in whole(report) }
    }

    private var report: GatewayReport {
        let (figures, subscribers) = pushes.figuresByTransport
        return GatewayReport(
            isListening: isListening, view: watch.view, near: options.client.near,
            nearCache: near?.figures, spans: options.spans?.figures,
            tally: meter.total, connections: meter.connectionCounts,
            heldValueBytes: room.budget.heldBytes, pushes: figures, subscribers: subscribers)
    }
}
