import ByteCoding
import CacheAccess
import CacheModel
import CacheWire
import Testing

@testable import PublisherCore

/// Who waits for a replay before whom, and how many of one key.
@Suite struct PublishingCoreReplayTests {
    private static let list = """
        n1      \(key(1))  node
        reader  \(key(2))  read
        other   \(key(3))  read
        """

    private static func key(_ number: Int) -> String {
        String(repeating: "0", count: 62) + "0\(number)"
    }

    private static func resume(_ incarnation: UInt64, _ requestID: UInt64) -> [UInt8] {
        let resume = Resume(
            incarnation: Incarnation(incarnation), log: .none, after: .none, limit: 100)
        return Cluster.bytes { resume.encode(requestID: requestID, into: &$0) }
    }

    /// A log whose replays are long, of which a turn sends few.
    private static func cluster() throws -> Cluster {
        var cluster = try Cluster.live(nodes: 1)
        let key = try #require(CacheKey(String(repeating: "k", count: 4_000)))
        let scopes = [Scope](repeating: Scope(.key(key, in: .default)), count: 15)
        for _ in 0..<10 { cluster.invalidate(.none, scopes: scopes) }
        cluster.tick()
        cluster.core.setAccess(try AccessTable(listing: list))
        cluster.forget()
        return cluster
    }

    @Test func oneKeyThatAsksWithoutEndKeepsNeitherNodesNorOthersWaiting() throws {
        var cluster = try Self.cluster()
        let most = UInt64(PublisherLimits.replaysWaitingMax)
        for number in 1...most + 100 {
            cluster.send(Self.resume(0, number), from: 90, of: 2)
        }
        let refused = cluster.hear(90).filter { $0[3] == MessageType.error.rawValue }.count
        #expect((Int(most / 2)..<Int(most / 2) + 110).contains(refused), "\(refused)")
        cluster.send(Self.resume(0, 1), from: 91, of: 3)
        #expect(cluster.hear(91).isEmpty, "it waits")
        cluster.send(Self.resume(1, 5), from: 1, of: 1)
        cluster.tick()
        cluster.tick()
        let first = try #require(cluster.replies.first)
        #expect(first.peer == 1 && first.frame[3] == MessageType.replay.rawValue)
    }

    @Test func aNodeStandsInItOnceAlsoOverManyConnections() throws {
        var cluster = try Self.cluster()
        for number in 1...20 as ClosedRange<UInt64> {
            cluster.send(Self.resume(0, number), from: 90, of: 2)
        }
        cluster.forget()
        for peer in 1...200 as ClosedRange<UInt8> {
            cluster.send(Self.resume(1, UInt64(peer)), from: peer, of: 1)
        }
        cluster.tick()
        cluster.tick()
        #expect(cluster.replies.filter { $0.peer != 90 }.map(\.peer) == [200])
    }
}
