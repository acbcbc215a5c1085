import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Two processes under one node's id: docs/decisions/0095.
@Suite struct PublishingCoreDuplicatesTests {
    private static func figures(_ cluster: inout Cluster) throws -> [String] {
        cluster.forget()
        cluster.send(from: 90) { writer in
            MessageWriter(.status, requestID: 8, into: &writer).finish(&writer, count: 0)
        }
        return try cluster.hear(90, .statusReport) { try StatusReport(decoding: $0) }
            .figures.filter { $0.name.hasPrefix("duplicate_node") }
            .map { "\($0.name) \($0.value)" }
    }

    @Test func statusNamesANodeOfWhichTwoProcessesAreHeard() throws {
        var cluster = try Cluster.live(nodes: 2)
        let node = try #require(NodeID("n1"))
        try cluster.hello(1, incarnation: 9)
        for second in 11...16 {
            cluster.tick(at: Double(second))
            let head = cluster.core.log.head
            for run in [1, 9] as [UInt64] { _ = try cluster.ping(1, incarnation: run, at: head) }
            if second < 16 { #expect(try Self.figures(&cluster) == []) }
        }
        #expect(try Self.figures(&cluster) == ["duplicate_node:n1 1"])
        #expect(cluster.core.duplicateNodes(at: cluster.now) == [node])
        cluster.tick(at: 16 + Double(InvalidationLimits.duplicateWindow.components.seconds))
        #expect(try Self.figures(&cluster) == [])
    }
}
