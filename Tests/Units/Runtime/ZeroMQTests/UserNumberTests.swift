import ByteCoding
import CZeroMQ
import Testing

@testable import ZeroMQ

/// The number of who sent a message, as frames and rings of frames show it.
@Suite(.timeLimit(.minutes(2))) struct UserNumberTests {
    private static let numbers: [UInt32] = [1, 9, 10, 65_535, 4_294_967_295]

    @Test func everyMessageHasTheNumberOfItsSender() throws {
        let keys = try Self.numbers.map { _ in try CurveKeyPair.generate() }
        let server = try KeyedServer(
            Dictionary(uniqueKeysWithValues: zip(keys.map(\.publicKey), Self.numbers)))
        defer { #expect(server.end()) }
        let router = try Socket(server.context, .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let senders = zip(keys, Self.numbers).map { keys, number in
            OwnerThread {
                do {
                    let dealer = try Socket(Context(keys: keys), .dealer)
                    try dealer.connect(endpoint)
                    for round in 0..<Self.rounds {
                        try dealer.deliver(
                            Array("\(number)".utf8), [UInt8](repeating: 1, count: round * 37))
                    }
                    // It stays until all of it is read.
                    return try dealer.nextMessage() == [[0]]
                } catch {
                    return false
                }
            }
        }
        try Self.take(from: router)
        #expect(senders.allSatisfy { $0.join() == true })
    }

    private static let rounds = 200

    /// Receives all messages in turns of a ring's length, and then lets everybody go.
    private static func take(from router: borrowing Socket) throws {
        var ring = FrameRing(capacity: 64)
        var frame = Frame()
        var counts: [UInt32: Int] = [:]
        var names: [[UInt8]: UInt32] = [:]
        var index = 0
        while counts.values.reduce(0, +) < rounds * numbers.count {
            try router.waitUntilReady(for: .readable)
            while try ring.receive(at: index, from: router) {
                let name = Array(ring.bytes(at: index))
                let payload = try ring.receive(at: index + 1, from: router)
                try #require(payload && ring.hasMore(at: index + 1))
                let said = String(decoding: ring.bytes(at: index + 1), as: UTF8.self)
                let last = try router.receive(into: &frame)
                try #require(last && !frame.hasMore)
                let (first, second) = (ring.userNumber(at: index + 1), frame.userNumber)
                #expect(first == UInt32(said) && second == first)
                let number = try #require(second)
                counts[number, default: 0] += 1
                names[name] = number
                index = (index + 2) % 64
            }
        }
        #expect(counts == Dictionary(uniqueKeysWithValues: numbers.map { ($0, rounds) }))
        for name in names.keys { try router.deliver(name, [0]) }
    }

    @Test func withoutAuthenticationFramesHaveNoUserNumber() throws {
        let router = try Socket(Context(), .router)
        let dealer = try Socket(Context(), .dealer)
        try dealer.connect(try router.bind(Endpoint("tcp://127.0.0.1:*")))
        try dealer.deliver([1])
        try router.waitUntilReady(for: .readable)
        var ring = FrameRing(capacity: 2)
        let hasName = try ring.receive(at: 0, from: router)
        let hasBody = try ring.receive(at: 1, from: router)
        try #require(hasName && hasBody)
        #expect(ring.userNumber(at: 0) == nil && ring.userNumber(at: 1) == nil)
        let own = Frame(copying: [1]).userNumber
        let empty = Frame().userNumber
        #expect(own == nil && empty == nil)
    }

    /// What a peer without keys says of itself is shown as it says it: only a context with keys may
    /// be asked for numbers.
    @Test(
        arguments: [
            ("7", 7), ("4294967295", 4_294_967_295), ("007", 7), ("", nil), ("4294967296", nil),
            ("-1", nil), ("+1", nil), ("1 ", nil), ("0x1", nil), ("é", nil), ("99999999999", nil),
        ] as [(String, UInt32?)])
    func withoutAuthenticationAPeerMayClaimAnyUserNumber(text: String, number: UInt32?) throws {
        let router = try Socket(Context(), .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let peer = try RawPeer(port: try #require(endpoint.port))
        try #require(peer.shakesHands(as: "DEALER", claims: [("User-Id", text)]))
        peer.say(Zmtp.frame([1]))
        try router.waitUntilReady(for: .readable)
        var frame = Frame()
        let hasName = try router.receive(into: &frame)
        let hasBody = try router.receive(into: &frame)
        try #require(hasName && hasBody)
        let seen = frame.userNumber
        #expect(seen == number)
    }
}
