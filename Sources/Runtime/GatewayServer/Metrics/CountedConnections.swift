import HummingbirdCore
import Logging
import Threading

/// Limits the number of accepted connections, and counts them.
struct CountedConnections: AvailableConnectionsDelegate {
    let connectionsMax: Int
    let meter: GatewayMeter
    private var count = 0

    init(_ connectionsMax: Int, _ meter: GatewayMeter) {
        self.connectionsMax = connectionsMax
        self.meter = meter
    }

    /// At most this many, and no more than this process has descriptors for, beside those reserved
    /// for files and its own connections. To be created once everything else is open.
    init(besideReserve wanted: Int, _ meter: GatewayMeter, logger: Logger) {
        let most = Descriptors.usage.map { DescriptorReserve.connectionsMax(wanted, beside: $0) }
        self.init(most ?? wanted, meter)
        guard connectionsMax < wanted else { return }
        logger.warning(
            """
            fewer connections are accepted than --max-connections says, for want of descriptors: \
            raise the hard limit (LimitNOFILE= of systemd, ulimit -Hn) and restart
            """,
            metadata: [
                "connections": "\(connectionsMax)", "wanted": "\(wanted)",
                "limit": "\(Descriptors.limits?.soft ?? 0)",
            ])
    }

    mutating func connectionOpened() {
        count += 1
        meter.connectionOpened()
    }

    mutating func connectionClosed() {
        count -= 1
        meter.connectionClosed()
    }

    func isAcceptingNewConnections() -> Bool { count < connectionsMax }
}
