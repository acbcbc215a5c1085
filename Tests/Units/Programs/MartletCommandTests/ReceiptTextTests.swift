import CacheModel
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct ReceiptTextTests {
    private func text(
        _ applied: [Duration], expired: [String] = [], pending: [String] = []
    ) throws -> String {
        let lines = try applied.enumerated().map {
            InvalidationReceipt.Line(node: try Sample.node("n\($0)"), elapsed: $1)
        }
        return ReceiptText.short(
            InvalidationReceipt(
                position: Sample.position(1), wait: .all, isComplete: pending.isEmpty,
                nearCacheDelay: .zero, applied: lines,
                expired: try expired.map { .init(node: try Sample.node($0), elapsed: .zero) },
                pending: try pending.map(Sample.node)))
    }

    @Test func theSlowestNodeSaysHowLongItTook() throws {
        #expect(
            try text([.microseconds(800), .microseconds(1_249), .microseconds(900)])
                == "3/3 nodes 1.2 ms")
        #expect(try text([.milliseconds(1_250)]) == "1/1 node 1250.0 ms")
        #expect(try text([]) == "0/0 nodes")
    }

    @Test func aTimeThatIsNotKnownIsNotSaid() throws {
        #expect(try text([.zero, .milliseconds(2)]) == "2/2 nodes")
    }

    @Test func pendingAndExpiredNodesAreNamed() throws {
        #expect(
            try text([.milliseconds(1)], expired: ["c"], pending: ["b"])
                == "1/3 nodes 1.0 ms, expired c, pending b")
        #expect(try text([], pending: ["a", "b", "c"]) == "0/3 nodes, pending a b c")
        #expect(
            try text([], pending: ["a", "b", "c", "d"]) == "0/4 nodes, pending a and 3 more")
    }
}
