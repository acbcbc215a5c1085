import TestSupport
import Testing
import Threading

@testable import GatewayServer

@Suite struct CountedConnectionsTests {
    @Test func noMoreConnectionsThanDescriptorsBesideTheReserveAreAccepted() throws {
        let limit = try #require(Descriptors.limits).soft
        let lines = LinesLogged()
        let counted = CountedConnections(
            besideReserve: limit, GatewayMeter(), logger: lines.logger)
        #expect(counted.connectionsMax >= 1)
        #expect(counted.connectionsMax <= limit - DescriptorReserve.count(of: limit))
        #expect(lines.count("warning fewer connections are accepted") == 1, "\(lines.lines)")
    }

    @Test func whatFitsIsAcceptedWithoutAWord() throws {
        let lines = LinesLogged()
        var counted = CountedConnections(besideReserve: 1, GatewayMeter(), logger: lines.logger)
        #expect(counted.connectionsMax == 1 && lines.lines.isEmpty)
        #expect(counted.isAcceptingNewConnections())
        counted.connectionOpened()
        #expect(!counted.isAcceptingNewConnections())
        counted.connectionClosed()
        #expect(counted.isAcceptingNewConnections())
    }
}
