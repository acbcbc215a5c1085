import HealthServer
import HummingbirdCore
import Logging
import NIOCore

/// Accepts no more connections than there may be, and counts them; none for a moment where the
/// system has no room for more.
struct CountedConnections: AvailableConnectionsDelegate {
    let connectionsMax: Int
    let meter: GatewayMeter
    let logger: Logger
    private var count = 0

    init(_ connectionsMax: Int, _ meter: GatewayMeter, logger: Logger) {
        self.connectionsMax = connectionsMax
        self.meter = meter
        self.logger = logger
    }

    var availableConnectionsChannelHandler: any ChannelDuplexHandler {
        AcceptPause(
            before: AvailableConnectionsChannelHandler(delegate: self), logger: logger
        ) { [meter] in meter.connectionRefused() }
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
