import Foundation
import Testing
import TestSupport
import ZeroMQ

/// What is told of an endpoint by connecting to it.
@Suite struct ConnectProbeTests {
    private func knock(_ text: String, patience: Duration = .seconds(30)) throws -> ConnectOutcome {
        try ConnectProbe.knock(at: Endpoint(text, for: .connecting), patience: patience)
    }

    /// A port that was bound, by a context that has ended.
    private func placeLetGo() throws -> String {
        let context = try Context()
        let socket = try Socket(context, .router)
        return try socket.bind(Endpoint("tcp://127.0.0.1:0")).description
    }

    @Test func aListenerIsConnectedToWhateverItSays() throws {
        let listener = try TCPSocket.listening()
        defer { listener.close() }
        #expect(try knock("tcp://127.0.0.1:\(listener.port)") == .connected)
        #expect(try knock("tcp://localhost:\(listener.port)") == .connected)
    }

    @Test func aPortWithoutAListenerRefuses() throws {
        let place = try placeLetGo()
        #expect(try knock(place) == .refused)
        #expect(try knock(place).isFinal)
        let key = String(repeating: "5", count: 64)
        #expect(try knock("\(place)?key=\(key)") == .refused)
    }

    @Test func aNameWithoutAnAddressIsNoHost() throws {
        let outcome = try knock("tcp://no-such-host.invalid:7400")
        guard case .unknownHost(let why) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!why.isEmpty && outcome.isFinal)
    }

    @Test func aPathWithoutAListenerRefuses() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let place = "ipc://\(directory.file("door").path)"
        #expect(try knock(place) == .refused)
        let context = try Context()
        let socket = try Socket(context, .router)
        try socket.bind(Endpoint(place))
        #expect(try knock(place) == .connected)
    }
}
