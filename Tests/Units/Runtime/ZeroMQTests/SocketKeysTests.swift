import ByteCoding
import Foundation
import Testing
import ZeroMQ

/// Messages between contexts with keys, and who is not spoken to.
@Suite(.timeLimit(.minutes(2))) struct SocketKeysTests {
    @Test(arguments: [TransportCase.tcp, .ipc])
    func aClientAndAServerWithKnownKeysExchangeMessages(transport: TransportCase) throws {
        try transport.withEndpoint { place in
            let client = try CurveKeyPair.generate()
            let server = try KeyedServer([client.publicKey: 4_294_967_295])
            defer { #expect(server.end()) }
            let router = try Socket(server.context, .router)
            let endpoint = try router.bind(place)
            #expect(endpoint.serverKey == server.keys.publicKey)
            let dealer = try Socket(Context(keys: client), .dealer)
            try dealer.connect(endpoint)
            for length in [0, 1, 255, 256, 70_000] {
                let bytes = [UInt8](repeating: 0xA5, count: length)
                try dealer.deliver([1], bytes)
                let message = try router.nextMessage()
                #expect(Array(message.dropFirst()) == [[1], bytes])
                try router.deliver(message[0], bytes, [2])
                #expect(try dealer.nextMessage() == [bytes, [2]])
            }
            let asked = try #require(server.asked.first)
            #expect(asked.key == client.publicKey && asked.domain == "unspecified")
            let process = ":\(getuid()):\(getgid()):\(getpid())"
            #expect(asked.address == (transport == .tcp ? "127.0.0.1" : "localhost" + process))
            #expect(server.asked.count == 1, "once for a connection")
        }
    }

    @Test func theHandlerIsToldWhatTheSocketIsFor() throws {
        let client = try CurveKeyPair.generate()
        let server = try KeyedServer([client.publicKey: 1])
        defer { #expect(server.end()) }
        let xpub = try Socket(server.context, .xpub)
        let endpoint = try xpub.bind(
            Endpoint("tcp://127.0.0.1:*"), domain: ZAPDomain(rawValue: "live"))
        let sub = try Socket(Context(keys: client), .sub)
        try sub.subscribe(prefix: [])
        try sub.connect(endpoint)
        #expect(try xpub.nextMessage() == [[1]])
        #expect(server.asked.map(\.domain) == ["live"])
        try xpub.deliver([9])
        #expect(try sub.nextMessage() == [[9]])
    }

    @Test(arguments: [TransportCase.tcp, .ipc])
    func aKeyOnOneSideAloneIsRefusedBeforeAnythingIsSaid(transport: TransportCase) throws {
        try transport.withEndpoint { _ in
            let keys = try CurveKeyPair.generate()
            let place = try Endpoint(
                transport == .tcp ? "tcp://127.0.0.1:7400" : "ipc:///nowhere/at/all")
            let bare = try Socket(Context(), .dealer)
            let keyed = try Socket(Context(keys: keys), .dealer)
            let withKey = place.withServerKey(keys.publicKey)
            let one = failure { () throws(ZeroMQError) in try bare.connect(withKey) }
            #expect(one?.isKeyMissing == true && one?.during == .connecting)
            let other = failure { () throws(ZeroMQError) in try keyed.connect(place) }
            #expect(other?.isKeyMissing == true)
            // Nothing was begun.
            let left = failure { () throws(ZeroMQError) in try keyed.disconnect(place) }
            #expect(left?.isNotFound == true)
        }
    }

    @Test func inprocConnectionsNeedNoKeyPair() throws {
        let context = try Context(keys: CurveKeyPair.generate())
        let right = try Socket(context, .pair)
        let bound = try right.bind(Endpoint("inproc://inside"))
        #expect(bound.serverKey == nil)
        let other = try Socket(context, .pair)
        try other.connect(bound)
        try other.deliver([3])
        #expect(try right.nextMessage() == [[3]])
    }

    @Test func whereItListensIsGivenUpUnderTheNameThatWasTold() throws {
        let socket = try Socket(Context(keys: CurveKeyPair.generate()), .router)
        let endpoint = try socket.bind(Endpoint("tcp://127.0.0.1:*"))
        try socket.unbind(endpoint)
        let again = failure { () throws(ZeroMQError) in try socket.unbind(endpoint) }
        #expect(again?.isNotFound == true)
    }

    @Test func withoutAnAuthenticationHandlerNoClientIsAdmitted() throws {
        let client = try CurveKeyPair.generate()
        let socket = try Socket(Context(keys: CurveKeyPair.generate()), .router)
        let endpoint = try socket.bind(Endpoint("tcp://127.0.0.1:*"))
        let outcome = try HandshakeProbe.knock(
            at: endpoint, as: .holder(client), patience: .milliseconds(500), in: Context())
        #expect(outcome != .admitted)
    }
}
