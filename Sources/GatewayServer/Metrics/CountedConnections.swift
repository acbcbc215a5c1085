import HummingbirdCore

/// Accepts no more connections than there may be, and counts them.
struct CountedConnections: AvailableConnectionsDelegate {
    let connectionsMax: Int
    let meter: GatewayMeter
    private var count = 0

    init(_ connectionsMax: Int, _ meter: GatewayMeter) {
        self.connectionsMax = connectionsMax
        self.meter = meter
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
