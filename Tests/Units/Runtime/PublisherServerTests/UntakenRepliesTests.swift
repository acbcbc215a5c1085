import CacheWire
import CacheAccess
import PublisherCore
import Testing
import ZeroMQ

@testable import PublisherServer

@Suite struct UntakenRepliesTests {
    /// A frame that libzmq holds.
    private final class Held {
        let frame: Frame

        init(_ frame: consuming Frame) { self.frame = frame }
    }

    private static func peer(_ number: UInt8) throws -> PeerID {
        try #require([0, 0, 0, 0, number].withUnsafeBytes { PeerID($0) })
    }

    /// How many bytes are held before one is refused, each over a connection of its own.
    private static func fill(
        _ untaken: inout UntakenReplies, _ held: inout [Held], of principal: UInt32,
        length: Int = 512 << 10, over connections: ClosedRange<UInt8> = 1...200
    ) throws -> Int {
        let bytes = [UInt8](repeating: 1, count: length)
        for number in connections {
            guard
                let frame = untaken.frame(
                    bytes, to: try peer(number), of: PrincipalNumber(rawValue: principal))
            else { return Int(number - connections.lowerBound) * length }
            held.append(Held(frame))
        }
        return connections.count * length
    }

    @Test func oneKeyLeavesSoManyBytesOverWhateverManyConnections() throws {
        var untaken = UntakenReplies()
        var held: [Held] = []
        let first = try Self.fill(&untaken, &held, of: 1)
        #expect(first == PublisherServerLimits.untakenOfKeyBytesMax)
        let nothing = try Self.fill(&untaken, &held, of: 1)
        #expect(nothing == 0)
        let other = try Self.fill(&untaken, &held, of: 2, over: 1...10)
        #expect(other == 10 * 512 << 10)
        held = []
        let again = try Self.fill(&untaken, &held, of: 1)
        #expect(again == PublisherServerLimits.untakenOfKeyBytesMax, "what is taken makes room")
    }

    @Test func withoutAccessControlUntakenRepliesAreLimitedPerConnection() throws {
        var untaken = UntakenReplies()
        var held: [Held] = []
        let many = try Self.fill(&untaken, &held, of: 0, over: 1...40)
        #expect(many == 40 * 512 << 10)
        var one = 0
        while try Self.fill(&untaken, &held, of: 0, over: 7...7) > 0 { one += 512 << 10 }
        #expect(one == PublisherServerLimits.untakenBytesMax - 512 << 10)
    }

    /// Who has taken everything is answered all the same.
    @Test func allKeysTogetherLeaveSoMany() throws {
        let part = 512 << 10
        var untaken = UntakenReplies(
            .init(peerBytesMax: 4 * part, holderBytesMax: 8 * part, allBytesMax: 20 * part))
        var held: [Held] = []
        let filled = try (1...5).map { key in
            try Self.fill(&untaken, &held, of: key, over: UInt8(10 * key)...UInt8(10 * key + 9))
        }
        #expect(filled == [8, 8, 4, 1, 1].map { $0 * part })
        held.removeFirst(16)
        let again = try Self.fill(&untaken, &held, of: 3, over: 30...39)
        #expect(again == 4 * part)
    }

    @Test func repliesBelowTheMinimumLengthAreNotCounted() throws {
        var untaken = UntakenReplies()
        var held: [Held] = []
        let limit = PublisherServerLimits.countedReplyBytesMin
        _ = try Self.fill(&untaken, &held, of: 1)
        let short = try Self.fill(&untaken, &held, of: 1, length: limit - 1, over: 1...50)
        #expect(short == 50 * (limit - 1))
        let long = try Self.fill(&untaken, &held, of: 1, length: limit, over: 1...1)
        #expect(long == 0)
    }
}
