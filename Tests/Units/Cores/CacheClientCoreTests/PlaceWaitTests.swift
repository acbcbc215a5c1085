import CacheClientCore
import CacheModel
import CacheWire
import Testing

@Suite struct PlaceWaitTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private func topology(_ places: [(NodeID, [String])]) -> Topology {
        Topology(
            TopologyReport(
                version: 1, kind: .sharded, controlEndpoint: "c", liveEndpoint: "l",
                nodes: places.map {
                    TopologyReport.Node(
                        id: $0.0, state: nil, weightThousandths: 1_000, endpoints: $0.1)
                }))
    }

    private let first: NodeID
    private let second: NodeID

    init() throws {
        first = try #require(NodeID("n1"))
        second = try #require(NodeID("n2"))
    }

    @Test func aNodeWithoutAnEndpointIsAwaitedForALimitedTime() {
        var wait = PlaceWait()
        wait.took(topology([(first, ["a"]), (second, ["b", ""])]), at: at(100))
        #expect(wait.end(for: first, at: at(100)) == nil)
        let end = at(100).advanced(by: ClientLimits.placeWaitMax)
        #expect(wait.end(for: second, at: at(100)) == end)
        #expect(wait.end(for: second, at: end) == nil)
    }

    @Test func anotherTopologyWithoutThePlaceBeginsNoOtherWait() {
        var wait = PlaceWait()
        wait.took(topology([(first, [""])]), at: at(0))
        wait.took(topology([(first, [""]), (second, [""])]), at: at(2_000))
        #expect(
            wait.end(for: first, at: at(2_000)) == at(0).advanced(by: ClientLimits.placeWaitMax))
        #expect(
            wait.end(for: second, at: at(2_000))
                == at(2_000).advanced(by: ClientLimits.placeWaitMax))
    }

    @Test func aNodeThatLosesItsEndpointIsAwaitedAgain() {
        var wait = PlaceWait()
        wait.took(topology([(first, [""])]), at: at(0))
        wait.took(topology([(first, ["a"])]), at: at(500))
        #expect(wait.end(for: first, at: at(500)) == nil)
        wait.took(topology([(first, [""])]), at: at(9_000))
        #expect(
            wait.end(for: first, at: at(9_000))
                == at(9_000).advanced(by: ClientLimits.placeWaitMax))
    }
}
