import CacheModel
import Testing

@testable import MartletClient

/// Which nodes may have keys that were not listed between two reports of the publisher.
@Suite struct NodeStatesTests {
    private let node = Sample.node("n1")

    private func states(
        _ state: NodeState? = .live, at endpoint: String = "a", run: UInt64 = 0
    ) -> NodeStates {
        NodeStates([
            node: .init(state: state, endpoints: [endpoint], incarnation: Incarnation(run))
        ])
    }

    private func problem(_ first: NodeStates, _ last: NodeStates) -> String? {
        last.problem(of: node, since: first)
    }

    @Test func aNodeThatKeptItsLeaseHasNoProblem() {
        #expect(problem(states(run: 1), states(.catchingUp, run: 1)) == nil)
        #expect(problem(states(), states(.draining)) == nil)
    }

    @Test func aNodeWithoutALeaseAtEitherTimeMayHideKeys() {
        for (first, last) in [(NodeState.suspect, NodeState.live), (.live, .syncing)] {
            let text = problem(states(first), states(last))
            #expect(text?.contains("it may hide keys") == true, "\(first) \(last)")
        }
        #expect(states(.suspect).problem(of: node)?.contains("SUSPECT") == true)
        #expect(states().problem(of: node) == nil)
    }

    @Test func aNodeThatThePublisherDoesNotKnowHasNoKnownState() {
        let unknown = "its state is not known"
        #expect(states(nil).problem(of: node) == unknown)
        #expect(problem(states(), NodeStates([:])) == unknown)
        #expect(problem(NodeStates([:]), states()) == unknown)
    }

    @Test func anotherIncarnationIsARestart() {
        #expect(problem(states(run: 1), states(run: 2)) == "it was restarted meanwhile")
        #expect(problem(states(at: "a", run: 1), states(at: "b", run: 1)) == nil, "it moved")
    }

    /// A client without the role `metrics` is not told incarnations.
    @Test func withoutIncarnationsOtherEndpointsAreARestart() {
        #expect(problem(states(), states()) == nil)
        #expect(problem(states(at: "a"), states(at: "b")) == "it was restarted meanwhile")
        #expect(problem(states(at: "a", run: 1), states(at: "b")) == "it was restarted meanwhile")
        // A publisher that was restarted does not know them at first.
        #expect(problem(states(at: "a"), states(at: "")) == nil)
    }
}
