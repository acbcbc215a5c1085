package import CacheMetrics
import MartletClient
import Telemetry

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
