import CacheAccess
import Testing

@testable import AccessControl
@testable import ZeroMQ

/// Doors that keep strangers out pass; others are found before anybody uses them.
@Suite(.timeLimit(.minutes(2))) struct AdmissionTestTests {
    private func outcome(_ doors: [AdmissionTest.Door]) throws -> AccessControlError? {
        let context = try Context()
        do throws(AccessControlError) {
            try AdmissionTest.pass(doors, in: context)
            return nil
        } catch {
            return error
        }
    }

    @Test func guardedDoorsOfEveryKindPass() throws {
        let server = try GuardedServer("")
        defer { server.end() }
        let found = try outcome([
            (server.endpoint, .data), (server.endpoint, .control), (server.live, .live),
        ])
        #expect(found == nil)
        try server.gatekeeper.test([(server.live, .live)], in: server.context)
    }

    /// CURVE as libzmq has it by itself: whoever has any key comes in.
    @Test func anEndpointWithoutAccessChecksIsDetected() throws {
        let keys = try CurveKeyPair.generate()
        let socket = try Socket(Context(), .router)
        let (server, secretKey): (CInt, CInt) = (47, 49)
        try SocketOptionPayload.int32(1).write(server, to: socket.handle)
        try SocketOptionPayload.bytes(keys.secretKey.bytes).write(secretKey, to: socket.handle)
        let door = try socket.bind(Endpoint("tcp://127.0.0.1:*")).withServerKey(keys.publicKey)
        #expect(try outcome([(door, .data)]) == .unguarded(door, isPlain: false))
    }

    /// Our own way to serve asks, and lets nobody in where nobody is there to be asked.
    @Test func withoutAGatekeeperNoConnectionIsAdmitted() throws {
        let socket = try Socket(Context(keys: CurveKeyPair.generate()), .router)
        let door = try socket.bind(Endpoint("tcp://127.0.0.1:*"), domain: AccessDomain.data.zap)
        let context = try Context()
        for guise in [HandshakeProbe.Guise.stranger, .plain] {
            let outcome = try HandshakeProbe.knock(
                at: door, as: guise, patience: .milliseconds(500), in: context)
            #expect(outcome != .admitted)
        }
    }

    @Test func aDoorWithoutKeysIsFound() throws {
        let socket = try Socket(Context(), .router)
        let key = try CurveKeyPair.generate().publicKey
        let door = try socket.bind(Endpoint("tcp://127.0.0.1:*")).withServerKey(key)
        #expect(try outcome([(door, .data)]) == .untested(door))
    }
}
