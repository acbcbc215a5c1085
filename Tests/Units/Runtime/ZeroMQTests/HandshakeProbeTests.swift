import ByteCoding
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(2))) struct HandshakeProbeTests {
    private static let patience = Duration.seconds(10)

    private func knock(
        _ endpoint: Endpoint, as guise: HandshakeProbe.Guise, patience: Duration = Self.patience
    ) throws -> HandshakeOutcome {
        let context = try Context()
        let outcome = try HandshakeProbe.knock(
            at: endpoint, as: guise, patience: patience, in: context)
        // It returns only if nothing that was opened is left.
        context.terminate()
        return outcome
    }

    @Test(arguments: [TransportCase.tcp, .ipc])
    func eachGuiseIsToldWhatItsHolderWouldBe(transport: TransportCase) throws {
        try transport.withEndpoint { place in
            let (listed, other) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
            let server = try KeyedServer([listed.publicKey: 1])
            let router = try Socket(server.context, .router)
            let endpoint = try router.bind(place)
            #expect(try knock(endpoint, as: .holder(listed)) == .admitted)
            #expect(try knock(endpoint, as: .holder(other)) == .refused)
            #expect(try knock(endpoint, as: .stranger) == .refused)
            #expect(try knock(endpoint, as: .plain) == .brokenOff)
            let impostor = endpoint.withServerKey(other.publicKey)
            #expect(try knock(impostor, as: .holder(listed)) == .brokenOff)
            let none = try router.messageIfAny()
            #expect(none == nil, "a probe says nothing")
            let strangers = server.asked.compactMap(\.key).filter { $0 != listed.publicKey }
            #expect(Set(strangers).count == 2, "a stranger's key is a new one")
            #expect(server.end())
        }
    }

    @Test func anUnsecuredSocketAdmitsPlainAndBreaksOffCurve() throws {
        let router = try Socket(Context(), .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        #expect(try knock(endpoint, as: .plain) == .admitted)
        let key = try CurveKeyPair.generate().publicKey
        #expect(try knock(endpoint.withServerKey(key), as: .stranger) == .brokenOff)
    }

    @Test func aSocketOfAnotherKindIsBrokenOff() throws {
        let router = try Socket(Context(), .router)
        let endpoint = try router.bind(Endpoint("tcp://127.0.0.1:*"))
        let outcome = try HandshakeProbe.knock(
            at: endpoint, .sub, as: .plain, patience: Self.patience, in: Context())
        #expect(outcome == .brokenOff)
    }

    @Test func aProbeOfAClosedPortIsUnanswered() throws {
        let dead: Endpoint
        do {
            let socket = try Socket(Context(), .router)
            dead = try socket.bind(Endpoint("tcp://127.0.0.1:*"))
        }
        let key = try CurveKeyPair.generate().publicKey
        let began = ContinuousClock.now
        let outcome = try knock(
            dead.withServerKey(key), as: .stranger, patience: .milliseconds(200))
        let took = ContinuousClock.now - began
        #expect(outcome == .unanswered)
        #expect(took >= .milliseconds(200) && took < .seconds(10), "\(took)")
    }

    @Test func aContextThatEndsEndsIt() throws {
        let context = try Context()
        context.shutdown()
        let error = #expect(throws: ZeroMQError.self) {
            try HandshakeProbe.knock(
                at: Endpoint("tcp://127.0.0.1:1"), as: .plain, patience: Self.patience,
                in: context)
        }
        #expect(error?.isTerminated == true)
    }
}
