import Testing
import ZeroMQ

@Suite struct EndpointTests {
    @Test(arguments: [
        ("tcp://127.0.0.1:7400", "tcp://127.0.0.1:7400"),
        ("tcp://*:*", "tcp://*:0"),
        ("tcp://[::1]:0", "tcp://[::1]:0"),
        ("tcp://[fe80::1%eth0]:9", "tcp://[fe80::1%eth0]:9"),
        ("tcp://node-3.cache_a.example:65535", "tcp://node-3.cache_a.example:65535"),
        ("tcp://eth0:1", "tcp://eth0:1"),
        ("ipc:///run/a b/socket", "ipc:///run/a b/socket"),
        ("ipc://@abstract", "ipc://@abstract"),
        ("ipc://*", "ipc://*"),
        ("inproc://a://b", "inproc://a://b"),
    ])
    func aLegalTextReadsAndWritesItself(text: String, canonical: String) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.description == canonical)
        #expect(try Endpoint(canonical) == endpoint)
    }

    static let refusals: [(String, EndpointError.Reason)] = [
        ("", .noTransport), ("127.0.0.1:7400", .noTransport), ("://x", .noTransport),
        ("tcp:/127.0.0.1:1", .noTransport),
        ("ws://h:1", .unsupportedTransport("ws")), ("wss://h:1", .unsupportedTransport("wss")),
        ("udp://h:1", .unsupportedTransport("udp")), ("TCP://h:1", .unsupportedTransport("TCP")),
        ("pgm://h:1", .unsupportedTransport("pgm")), (" tcp://h:1", .unsupportedTransport(" tcp")),
        ("tcp://", .noPort), ("tcp://host", .noPort), ("tcp://host:", .noPort),
        ("tcp://[::1]", .noPort), ("tcp://[::]:", .noPort),
        ("tcp://host:65536", .badPort), ("tcp://host:+1", .badPort), ("tcp://host:-1", .badPort),
        ("tcp://host:1/", .badPort), ("tcp://host:1 ", .badPort), ("tcp://host:0x1", .badPort),
        ("tcp://:1", .badHost), ("tcp://300.1.1.1:1", .badHost), ("tcp://1.2.3:1", .badHost),
        ("tcp://ho st:1", .badHost), ("tcp://a;b:1", .badHost), ("tcp://-a:1", .badHost),
        ("tcp://a..b:1", .badHost), ("tcp://[::g]:1", .badHost), ("tcp://[::1:1", .badHost),
        ("tcp://[::1%]:1", .badHost), ("tcp://[::1%a%b]:1", .badHost), ("tcp://h\0st:1", .badHost),
        ("tcp://höst:1", .badHost),
        ("tcp://::1:7400", .unbracketedIPv6), ("tcp://a:b:1", .unbracketedIPv6),
        ("ipc://", .noName), ("ipc://@", .noName), ("inproc://", .noName),
        ("ipc:///a\0b", .unprintableName), ("inproc://a\n", .unprintableName),
    ]

    @Test(arguments: refusals)
    func anIllegalTextIsRefusedWithItsReason(text: String, reason: EndpointError.Reason) {
        let error = #expect(throws: EndpointError.self) { try Endpoint(text) }
        #expect(error?.reason == reason)
        #expect(error?.text == text)
    }

    @Test func aPathOf107BytesFitsAndOneOf108DoesNot() throws {
        let longest = String(repeating: "é", count: 53) + "x"
        #expect(try Endpoint("ipc://" + longest).path == longest)
        let error = #expect(throws: EndpointError.self) { try Endpoint("ipc://x" + longest) }
        #expect(error?.reason == .tooLong(bytes: 108, bytesMax: 107))
        let name = String(repeating: "n", count: 256)
        #expect(throws: EndpointError.self) { try Endpoint("inproc://" + name) }
        #expect(throws: EndpointError.self) { try Endpoint("tcp://" + name + ":1") }
    }

    @Test(arguments: ["tcp://*:7400", "tcp://127.0.0.1:0", "tcp://127.0.0.1:*", "ipc://*"])
    func aWildcardIsForBindingOnly(text: String) throws {
        #expect(try !Endpoint(text).isConnectable)
        let error = #expect(throws: EndpointError.self) { try Endpoint(text, for: .connecting) }
        #expect(error?.reason == .forBindingOnly)
        #expect(try Endpoint("tcp://localhost:1", for: .connecting).isConnectable)
    }

    @Test(arguments: [
        ("tcp://127.0.0.1:1", true), ("tcp://127.255.0.9:1", true), ("tcp://[::1]:1", true),
        ("tcp://[0:0:0:0:0:0:0:1]:1", true), ("tcp://[::ffff:127.0.0.1]:1", true),
        ("tcp://localhost:1", true), ("tcp://LocalHost:1", true), ("ipc:///x", true),
        ("inproc://x", true),
        ("tcp://128.0.0.1:1", false), ("tcp://0.0.0.0:1", false), ("tcp://*:1", false),
        ("tcp://[::]:1", false), ("tcp://[::2]:1", false), ("tcp://[::ffff:10.0.0.1]:1", false),
        ("tcp://localhost.example:1", false), ("tcp://127.example:1", false),
    ])
    func onlyWhatStaysOnThisMachineIsLoopback(text: String, isLoopback: Bool) throws {
        #expect(try Endpoint(text).isLoopback == isLoopback)
    }

    @Test func onlyTcpHasAPort() throws {
        let endpoint = try Endpoint("tcp://[::1]:0")
        #expect(endpoint.port == 0)
        #expect(endpoint.withPort(7400)?.description == "tcp://[::1]:7400")
        #expect(try Endpoint("ipc:///x").port == nil)
        #expect(try Endpoint("inproc://x").withPort(1) == nil)
        #expect(endpoint.transport == .tcp)
    }

    @Test func aRefusalTellsWhatToWriteInstead() {
        let error = #expect(throws: EndpointError.self) { try Endpoint("ws://host:1") }
        let text = error?.description ?? ""
        #expect(text.contains("\"ws://host:1\""))
        #expect(text.contains("WebSocket"))
        #expect(text.contains("Write tcp://host:port"))
    }
}
