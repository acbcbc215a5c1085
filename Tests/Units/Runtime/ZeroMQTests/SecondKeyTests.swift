import ByteCoding
import Testing
import ZeroMQ

/// One socket that listens with two keys.
@Suite(.timeLimit(.minutes(2))) struct SecondKeyTests {
    private static let patience = Duration.seconds(10)

    /// Lends the endpoints of a ROUTER that listens with the context's key and with another, beside
    /// a handler that lets in `client` alone.
    private static func withDoors(
        _ client: CurveKeyPair, _ body: @escaping @Sendable ([Endpoint]) throws -> Void
    ) throws {
        let (first, second) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
        let context = try Context(keys: first)
        var handler = try ZAPHandler(context)
        let router = try Socket(context, .router)
        let place = try Endpoint("tcp://127.0.0.1:*")
        let domain = ZAPDomain(rawValue: "data")
        let doors = [
            try router.bind(place, domain: domain),
            try router.bind(place, domain: domain, keys: second),
        ]
        #expect(doors.map(\.serverKey) == [first.publicKey, second.publicKey])
        let done = try Wakeup()
        let knocking = OwnerThread {
            defer { done.signal() }
            do {
                try body(doors)
            } catch {
                Issue.record("\(error)")
            }
        }
        var poller = Poller()
        _ = poller.add(handler.socket, for: .readable)
        let bell = poller.add(done)
        repeat {
            _ = try poller.wait(timeout: patience)
            try handler.answerWaiting { request in
                #expect(request.domain == "data")
                return request.key == client.publicKey ? .admitted(1) : .refused
            }
        } while !poller.isReady(bell)
        #expect(knocking.join() != nil)
    }

    @Test func eachDoorHasItsKeyAndBothAskTheHandler() throws {
        let client = try CurveKeyPair.generate()
        try Self.withDoors(client) { doors in
            let context = try Context()
            func outcome(
                _ door: Endpoint, _ guise: HandshakeProbe.Guise
            ) throws -> HandshakeOutcome {
                try HandshakeProbe.knock(at: door, as: guise, patience: .seconds(5), in: context)
            }
            for door in doors {
                #expect(try outcome(door, .holder(client)) == .admitted)
                #expect(try outcome(door, .stranger) == .refused)
                #expect(try outcome(door, .plain) != .admitted)
            }
            // The right key at the other door is a wrong one.
            let swapped = [
                doors[0].withServerKey(doors[1].serverKey),
                doors[1].withServerKey(doors[0].serverKey),
            ]
            for door in swapped {
                let found = try outcome(door, .holder(client))
                #expect(found == .brokenOff || found == .unanswered, "\(found)")
            }
        }
    }
}
