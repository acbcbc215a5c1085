import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

@Suite struct ReplayQueueTests {
    private func resume(_ incarnation: UInt64, after sequence: UInt64) -> Resume {
        Resume(incarnation: Incarnation(incarnation), log: .none, after: .at(sequence), limit: 10)
    }

    private func question(
        _ number: UInt16, id: UInt64 = 1, of principal: UInt32 = 0
    ) throws -> ReplayQueue<Int>.Question {
        let name = withUnsafeBytes(of: number) { [0, 0, 0] + [UInt8]($0) }
        let peer = try #require(name.withUnsafeBytes { PeerID($0) })
        return .init(
            peer: peer, requestID: id, principal: PrincipalNumber(rawValue: principal))
    }

    @Test func aNodeStandsInItOnceWithWhatItAskedLast() throws {
        var queue = ReplayQueue<Int>()
        for (requester, number, sequence) in [(1, 1, 5), (2, 2, 5), (3, 1, 9)] {
            let hasRoom = queue.add(
                requester, try question(UInt16(requester)),
                resume(UInt64(number), after: UInt64(sequence)))
            #expect(hasRoom)
        }
        let first = queue.next()
        #expect(first?.requester == 3 && first?.resume.after == .at(9))
        #expect(queue.next()?.requester == 2)
        #expect(queue.next() == nil && queue.isEmpty)
    }

    @Test func eachQuestionOfAnObserverCounts() throws {
        var queue = ReplayQueue<Int>()
        for number in 1...3 {
            _ = queue.add(number, try question(1, id: UInt64(number)), resume(0, after: 1))
        }
        #expect((1...3).map { _ in queue.next()?.requester } == [1, 2, 3])
    }

    @Test func aFullReplayQueueRefusesNewRequestsButAcceptsUpdates() throws {
        var queue = ReplayQueue<Int>()
        let most = PublisherLimits.replaysWaitingMax
        for number in 0..<most / 2 {
            let hasRoom = queue.add(number, try question(UInt16(number)), resume(0, after: 1))
            #expect(hasRoom)
        }
        // Half of it is there where nobody is asked who they are, as for one key.
        let late = queue.add(-1, try question(UInt16(most)), resume(0, after: 1))
        #expect(late)
        for number in most / 2 + 1..<most {
            _ = queue.add(number, try question(UInt16(number)), resume(0, after: 1))
        }
        let tooLate = queue.add(-1, try question(UInt16(most + 1)), resume(0, after: 1))
        let again = queue.add(-2, try question(0), resume(0, after: 7))
        #expect(!tooLate && again)
        let first = queue.next()
        #expect(first?.requester == -2 && first?.resume.after == .at(7))
        var left = 0
        while queue.next() != nil { left += 1 }
        #expect(left == most - 1)
    }

    @Test func oneKeyHasHalfOfItAndNodesComeFirst() throws {
        var queue = ReplayQueue<Int>()
        let most = PublisherLimits.replaysWaitingMax
        var taken = 0
        for number in 0..<UInt16(most) {
            let question = try question(1, id: UInt64(number), of: 7)
            if queue.add(0, question, resume(0, after: 1)) { taken += 1 }
        }
        #expect(taken == most / 2)
        let other = queue.add(1, try question(2, of: 8), resume(0, after: 1))
        let told = queue.add(2, try question(3, of: 9), resume(0, after: 1), countMax: 1)
        let tooMany = queue.add(2, try question(4, of: 9), resume(0, after: 1), countMax: 1)
        let node = queue.add(3, try question(5, of: 6), resume(40, after: 1))
        #expect(other && told && !tooMany && node)
        #expect(queue.next()?.requester == 3)
        #expect(queue.next()?.requester == 0)
        let freed = queue.add(0, try question(1, id: 9_999, of: 7), resume(0, after: 1))
        #expect(freed)
        var left = 0
        while queue.next() != nil { left += 1 }
        #expect(left == most / 2 + 2 && queue.isEmpty)
    }
}
