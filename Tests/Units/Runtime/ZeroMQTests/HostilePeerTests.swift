import Testing
import TestSupport
import ZeroMQ

/// Peers that speak nonsense, from seeds. libzmq ends the process when one of its own promises
/// breaks, so that this suite ends at all is half of what it shows.
@Suite(.timeLimit(.minutes(2))) struct HostilePeerTests {
    /// Each kind of listening socket, and the kind that a friend and a hostile peer claim to be.
    static let listeners: [(Socket.Kind, Socket.Kind, String)] = [
        (.router, .dealer, "DEALER"), (.pull, .push, "PUSH"), (.xpub, .sub, "SUB"),
        (.sub, .xpub, "XPUB"),
    ]

    @Test(arguments: listeners)
    func randomBytesNeverStopASocket(
        listener: Socket.Kind, friend: Socket.Kind, name: String
    ) throws {
        try attack(listener, friend: friend) { raw, chance in
            raw.say(chance.bytes(Int.random(in: 0...600, using: &chance)))
        }
    }

    @Test(arguments: listeners)
    func aDamagedGreetingNeverStopsASocket(
        listener: Socket.Kind, friend: Socket.Kind, name: String
    ) throws {
        try attack(listener, friend: friend) { raw, chance in
            var said = Zmtp.greeting + Zmtp.ready(as: name) + Self.oddFrame(from: &chance)
            for _ in 0..<Int.random(in: 0...2, using: &chance) {
                let bit = UInt8.random(in: 0..<8, using: &chance)
                said[Int.random(in: 0..<said.count, using: &chance)] ^= UInt8(1) << bit
            }
            raw.say(said)
        }
    }

    @Test(arguments: listeners)
    func oddFramesAfterAProperGreetingNeverStopASocket(
        listener: Socket.Kind, friend: Socket.Kind, name: String
    ) throws {
        try attack(listener, friend: friend) { raw, chance in
            #expect(raw.shakesHands(as: name))
            var said: [UInt8] = []
            for _ in 0..<Int.random(in: 1...20, using: &chance) {
                said += Self.oddFrame(from: &chance)
            }
            // Some end in the middle of a frame.
            raw.say(said.dropLast(Int.random(in: 0...3, using: &chance)))
        }
    }

    private static func oddFrame(from chance: inout SeededGenerator) -> [UInt8] {
        let body = chance.bytes(Int.random(in: 0...300, using: &chance))
        switch Int.random(in: 0..<7, using: &chance) {
        case 0: return Zmtp.frame(body, flags: 1)
        case 1: return Zmtp.frame(body, flags: 4)
        case 2: return Zmtp.frame(body, flags: UInt8.random(in: 0...255, using: &chance))
        case 3: return [UInt8.random(in: 0...7, using: &chance) | 2] + chance.bytes(8)
        case 4: return Zmtp.frame([[0, 1, 2].randomElement(using: &chance) ?? 0] + body)
        case 5: return Zmtp.frame(oddCommand(from: &chance) + body, flags: 4)
        default: return Zmtp.frame(body)
        }
    }

    /// The start of a command that means something, to somebody, at some time.
    private static func oddCommand(from chance: inout SeededGenerator) -> [UInt8] {
        let names = ["READY", "ERROR", "PING", "PONG", "SUBSCRIBE", "CANCEL", "HELLO", "INITIATE"]
        let name = names.randomElement(using: &chance) ?? "PING"
        return [UInt8(name.utf8.count)] + Array(name.utf8)
    }

    private func attack(
        _ listener: Socket.Kind, friend: Socket.Kind,
        saying nonsense: (RawPeer, inout SeededGenerator) -> Void
    ) throws {
        let context = try Context()
        let socket = try Socket(context, listener)
        if listener == .sub { try socket.subscribe(prefix: []) }
        let address = try socket.bind(try Endpoint("tcp://127.0.0.1:0"))
        var chance = SeededGenerator(seed: 4711)
        for number in 0..<150 {
            let raw = try RawPeer(port: try #require(address.port))
            nonsense(raw, &chance)
            raw.sayNoMore()
            #expect(raw.isHungUpOn(), "attempt \(number)")
            while try socket.messageIfAny() != nil {}
        }
        try greet(socket, as: friend, at: address, context)
    }

    /// A friend is still heard.
    private func greet(
        _ socket: borrowing Socket, as kind: Socket.Kind, at address: Endpoint, _ context: Context
    ) throws {
        let friend = try Socket(context, kind)
        try friend.connect(address)
        let greeting = [UInt8]("a friend".utf8)
        if kind == .sub {
            try friend.subscribe(prefix: greeting)
        } else {
            if kind == .xpub { try awaitSubscription(friend, to: socket) }
            try friend.deliver(greeting)
        }
        let expected = kind == .sub ? [1] + greeting : greeting
        while try socket.nextMessage().last != expected {}
    }

    /// A publisher speaks in vain until it was asked; a subscriber asks from its owner's thread.
    private func awaitSubscription(
        _ publisher: borrowing Socket, to subscriber: borrowing Socket
    ) throws {
        var poller = Poller()
        let asked = poller.add(publisher, for: .readable)
        _ = poller.add(subscriber, for: .readable)
        let deadline = ContinuousClock.now + patience
        repeat {
            guard ContinuousClock.now < deadline else {
                throw GaveUp("nobody subscribed")
            }
            _ = try poller.wait(timeout: patience)
        } while !poller.isReady(asked)
        _ = try publisher.messageIfAny()
    }
}
