import CacheModel
import Testing

@testable import PublisherServer

/// What is logged of nodes of which two processes run.
@Suite struct NodesWatchTests {
    @Test func eachNodeIsToldOnceAndSoIsItsEnd() throws {
        let (n1, n2) = (try #require(NodeID("n1")), try #require(NodeID("n2")))
        var watch = NodesWatch()
        let looks: [(nodes: [NodeID], begun: [NodeID], ended: [NodeID])] = [
            ([], [], []), ([n2, n1], [n1, n2], []), ([n1, n2], [], []), ([n2], [], [n1]),
            ([], [], [n2]), ([], [], []), ([n1], [n1], []),
        ]
        for (number, look) in looks.enumerated() {
            let (begun, ended) = watch.look(at: look.nodes)
            #expect(begun == look.begun && ended == look.ended, "look \(number)")
        }
    }
}
