import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

@Suite struct ReplayQueueTests {
    private func resume(_ incarnation: UInt64, after sequence: UInt64) -> Resume {
        Resume(incarnation: Incarnation(incarnation), log: .none, after: .at(sequence), limit: 10)
    }

    private func peer(_ number: UInt16) throws -> PeerID {
        try #require(withUnsafeBytes(of: number) { PeerID($0) })
    }

    @Test func aNodeStandsInItOnceWithWhatItAskedLast() throws {
        var queue = ReplayQueue<Int>()
        for (asker, number, sequence) in [(1, 1, 5), (2, 2, 5), (3, 1, 9)] {
            let hasRoom = queue.add(
                asker, peer: try peer(UInt16(number)), requestID: UInt64(asker),
                resume(UInt64(number), after: UInt64(sequence)))
            #expect(hasRoom)
        }
        let first = queue.next()
        #expect(first?.asker == 3 && first?.resume.after == .at(9))
        #expect(queue.next()?.asker == 2)
        #expect(queue.next() == nil && queue.isEmpty)
    }

    @Test func eachQuestionOfAnObserverCounts() throws {
        var queue = ReplayQueue<Int>()
        for number in 1...3 {
            _ = queue.add(
                number, peer: try peer(1), requestID: UInt64(number), resume(0, after: 1))
        }
        #expect((1...3).map { _ in queue.next()?.asker } == [1, 2, 3])
    }

    @Test func whoFindsNoRoomIsToldAndWhoIsInItMayAskAnew() throws {
        var queue = ReplayQueue<Int>()
        let most = PublisherLimits.replaysWaitingMax
        for number in 0..<most {
            let hasRoom = queue.add(
                number, peer: try peer(UInt16(number)), requestID: 1, resume(1, after: 1))
            #expect(hasRoom)
        }
        let late = queue.add(-1, peer: try peer(UInt16(most)), requestID: 1, resume(1, after: 1))
        let again = queue.add(-2, peer: try peer(0), requestID: 2, resume(1, after: 7))
        #expect(!late && again)
        let first = queue.next()
        #expect(first?.asker == -2 && first?.resume.after == .at(7))
        var left = 0
        while queue.next() != nil { left += 1 }
        #expect(left == most - 1)
    }
}
