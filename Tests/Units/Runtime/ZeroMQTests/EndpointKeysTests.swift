import ByteCoding
import Testing

@testable import ZeroMQ

@Suite struct EndpointKeysTests {
    private static let digits = String(repeating: "0123456789abcdef", count: 4)
    private static let key = "?key=" + digits

    @Test(arguments: [
        "tcp://127.0.0.1:7400", "tcp://[::1]:7400", "tcp://node-3.example:1", "tcp://*:0",
        "ipc:///run/a b/socket", "ipc://@abstract", "ipc://*",
    ])
    func anEndpointReadsAndWritesItsKey(place: String) throws {
        let endpoint = try Endpoint(place + Self.key)
        #expect(endpoint.serverKey == PublicKey(Self.digits))
        #expect(endpoint.description == place + Self.key)
        #expect(endpoint.libraryText == place, "libzmq knows no keys there")
        #expect(try Endpoint(place + "?key=" + Self.digits.uppercased()) == endpoint)
        let bare = try Endpoint(place)
        #expect(bare != endpoint && bare.serverKey == nil)
        #expect(bare.withServerKey(endpoint.serverKey) == endpoint)
        #expect(endpoint.withServerKey(nil) == bare)
        #expect(endpoint.isLoopback == bare.isLoopback && endpoint.path == bare.path)
        #expect(endpoint.isConnectable == bare.isConnectable)
        #expect(endpoint.transport == bare.transport && endpoint.port == bare.port)
    }

    static let refusals: [(String, EndpointError.Reason)] = [
        ("tcp://h:1?key=", .badKey), ("tcp://h:1?key=\(digits.dropLast())", .badKey),
        ("tcp://h:1?key=\(digits)0", .badKey), ("tcp://h:1?key=\(digits.dropLast())g", .badKey),
        ("tcp://h:1?key=\(digits)?key=\(digits)", .badKey), ("ipc:///a?key=x", .badKey),
        ("tcp://h:1?key=\(digits) ", .badKey), ("tcp://h:1?Key=\(digits)", .badPort),
        ("tcp://h:1?keys=\(digits)", .badPort), ("tcp://h?key=\(digits)", .noPort),
        ("tcp://h:1?", .badPort), ("inproc://a?key=\(digits)", .keyInside),
        ("?key=\(digits)", .noTransport), ("ipc://?key=\(digits)", .noName),
    ]

    @Test(arguments: refusals)
    func aKeyThatIsNoneIsRefusedWithItsReason(text: String, reason: EndpointError.Reason) {
        let error = #expect(throws: EndpointError.self) { try Endpoint(text) }
        #expect(error?.reason == reason)
    }

    @Test func whatIsWrongWithAKeyIsSaidWithARemedy() {
        let bad = #expect(throws: EndpointError.self) { try Endpoint("tcp://h:1?key=7") }
        #expect(
            bad?.description == """
                "tcp://h:1?key=7" is not a usable endpoint: its server's key is not 64 hexadecimal \
                digits. Copy the whole endpoint, as the server printed it.
                """)
        let inside = #expect(throws: EndpointError.self) { try Endpoint("inproc://a" + Self.key) }
        #expect(inside?.description.hasSuffix("and has no keys. Leave the key out.") == true)
    }

    @Test func aWildcardWithAKeyIsForBindingOnly() {
        let error = #expect(throws: EndpointError.self) {
            try Endpoint("tcp://*:7400" + Self.key, for: .connecting)
        }
        #expect(error?.reason == .forBindingOnly)
    }

    @Test func anotherPortHasTheSameKeyAndInprocHasNone() throws {
        let endpoint = try Endpoint("tcp://a:1" + Self.key)
        #expect(endpoint.withPort(2)?.description == "tcp://a:2" + Self.key)
        let inside = try Endpoint("inproc://a")
        #expect(inside.withServerKey(endpoint.serverKey) == inside)
    }
}
