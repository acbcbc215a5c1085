import CacheClientCore
import CacheWire
import Testing

@Suite struct RoundTripsTests {
    private let nodes = (0..<3).map(NodeIndex.init)

    @Test func everyNodeIsMeasuredBeforeOneIsPreferred() {
        var trips = RoundTrips(nodeCount: 3)
        var asked = Set<NodeIndex>()
        for _ in 0..<3 {
            guard let node = trips.choose(where: { _ in true }) else { continue }
            asked.insert(node)
            trips.measured(node, .microseconds(node == nodes[1] ? 50 : 200))
        }
        #expect(asked.count == 3)
        #expect(trips.choose { _ in true } == nodes[1])
    }

    @Test func oneSlowAnswerDoesNotMoveTheMedian() {
        var trips = RoundTrips(nodeCount: 1)
        for _ in 0..<10 { trips.measured(nodes[0], .microseconds(80)) }
        trips.measured(nodes[0], .seconds(1))
        #expect(trips.median(of: nodes[0]) == .microseconds(80))
        for _ in 0..<15 { trips.measured(nodes[0], .microseconds(300)) }
        #expect(trips.median(of: nodes[0]) == .microseconds(300), "old samples make room")
    }

    @Test func aNodeThatWasSlowIsHeardAgain() {
        var trips = RoundTrips(nodeCount: 2)
        trips.measured(nodes[0], .microseconds(50))
        trips.measured(nodes[1], .microseconds(500))
        var choices: [NodeIndex: Int] = [:]
        for _ in 0..<1_000 {
            if let node = trips.choose(where: { _ in true }) { choices[node, default: 0] += 1 }
        }
        #expect((5...10).contains(choices[nodes[1]] ?? 0))
    }

    @Test func aNodeThatIsNotEligibleIsNotChosen() {
        var trips = RoundTrips(nodeCount: 3)
        for _ in 0..<200 { #expect(trips.choose { $0 == nodes[2] } == nodes[2]) }
        #expect(trips.choose { _ in false } == nil)
        trips.measured(NodeIndex(9), .zero)
    }
}
