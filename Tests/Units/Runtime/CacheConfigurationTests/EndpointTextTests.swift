import ByteCoding
import CacheConfiguration
import Testing

@Suite struct EndpointTextTests {
    @Test(arguments: [
        "tcp://127.0.0.1:7400", "tcp://cache-1.example_net:1", "tcp://[::1]:65535",
        "tcp://[fe80::1]:80", "ipc:///run/martlet/n1",
    ])
    func anEndpointIsReadAndWrittenAlike(text: String) throws {
        #expect(try EndpointText.parse(text).text == text)
    }

    @Test func whatAPersonTypesNeedsNoScheme() throws {
        #expect(try EndpointText.typed("localhost:7400").text == "tcp://127.0.0.1:7400")
        #expect(try EndpointText.typed("tcp://cache-1:7400").text == "tcp://cache-1:7400")
        #expect(try EndpointText.typed("ipc:///run/n1").text == "ipc:///run/n1")
        for text in ["", "7400", ":7400", "localhost", "http://localhost:7400", "a b:7400"] {
            #expect(throws: TextProblem.self) { try EndpointText.typed(text) }
        }
    }

    @Test func localhostIsWrittenAsANumber() throws {
        #expect(try EndpointText.parse("tcp://localhost:7400").text == "tcp://127.0.0.1:7400")
    }

    @Test(arguments: [
        "", "7400", "127.0.0.1:7400", "tcp://", "tcp://127.0.0.1", "tcp://:7400", "tcp://a:0",
        "tcp://a:65536", "tcp://a:", "tcp://a:*", "tcp://a:80s", "tcp://*:80", "tcp://0.0.0.0:80",
        "tcp://[::]:80", "tcp://1.2.3:80", "tcp://1.2.3.256:80", "tcp://a b:80", "tcp://[]:80",
        "tcp://ü:80", "tcp://a\"b:80", "udp://a:80", "inproc://a", "ipc://", "ipc://run/n1",
        "ipc:///" + String(repeating: "x", count: 104),
        "tcp://" + String(repeating: "x", count: 250) + ":80",
    ])
    func anEndpointThatCannotBeConnectedToIsRefused(text: String) {
        #expect(throws: TextProblem.self) { try EndpointText.parse(text) }
    }

    @Test(arguments: [
        ("tcp://127.0.0.1:1", true), ("tcp://127.9.9.9:1", true), ("tcp://[::1]:1", true),
        ("ipc:///run/n1", true), ("tcp://localhost:1", true), ("tcp://10.0.0.1:1", false),
        ("tcp://cache:1", false), ("tcp://[::2]:1", false), ("tcp://127.example.net:1", false),
    ])
    func whatOtherMachinesCanReachIsNotLoopback(text: String, isLoopback: Bool) throws {
        #expect(try EndpointText.parse(text).isLoopback == isLoopback)
    }

    @Test func theNextEndpointHasTheNextPortOrNone() throws {
        #expect(
            try EndpointText.parse("tcp://a:65534").following(1)?.text == "tcp://a:65535")
        #expect(try EndpointText.parse("tcp://a:65535").following(1) == nil)
        #expect(try EndpointText.parse("ipc:///run/p").following(1)?.text == "ipc:///run/p.1")
    }

    // MARK: Keys

    private static let digits = String(repeating: "0123456789abcdef", count: 4)
    private static let key = "?key=" + digits

    @Test(arguments: [
        "tcp://127.0.0.1:7400", "tcp://cache-1.example_net:1", "tcp://[::1]:65535",
        "ipc:///run/martlet/n1",
    ])
    func anEndpointReadsAndWritesItsKey(place: String) throws {
        let endpoint = try EndpointText.parse(place + Self.key)
        #expect(endpoint.serverKey == PublicKey(Self.digits))
        #expect(endpoint.text == place + Self.key && "\(endpoint)" == endpoint.text)
        #expect(try EndpointText.parse(place + "?key=" + Self.digits.uppercased()) == endpoint)
        let bare = try EndpointText.parse(place)
        #expect(bare != endpoint && bare.serverKey == nil && bare.place == endpoint.place)
        #expect(EndpointText(bare.place, serverKey: endpoint.serverKey) == endpoint)
        #expect(bare.isLoopback == endpoint.isLoopback)
    }

    @Test func theNextEndpointIsOneOfTheSameHolder() throws {
        let tcp = try EndpointText.parse("tcp://localhost:7400" + Self.key)
        #expect(tcp.following(3)?.text == "tcp://127.0.0.1:7403" + Self.key)
        let ipc = try EndpointText.parse("ipc:///run/p" + Self.key)
        #expect(ipc.following(1)?.text == "ipc:///run/p.1" + Self.key)
    }

    @Test(arguments: [
        "tcp://a:1?key=", "tcp://a:1?key=\(digits.dropLast())", "tcp://a:1?key=\(digits)0",
        "ipc:///a?key=\(digits.dropLast())g", "tcp://a:1?key=\(digits)?key=\(digits)",
    ])
    func aKeyThatIsNoneIsRefusedWithARemedy(text: String) {
        let problem = #expect(throws: TextProblem.self) { try EndpointText.parse(text) }
        #expect(problem?.sentence.contains("is not 64 hexadecimal digits; copy the") == true)
    }

    @Test func aSuffixOtherThanAKeyBelongsToTheEndpoint() throws {
        #expect(throws: TextProblem.self) { try EndpointText.parse("tcp://a:1?x=1") }
        #expect(throws: TextProblem.self) { try EndpointText.parse("tcp://*:1" + Self.key) }
        #expect(try EndpointText.parse("ipc:///a?x").text == "ipc:///a?x")
    }

    @Test func theLongestPlaceAndItsKeyFit() throws {
        let path = "ipc:///" + String(repeating: "x", count: 102)
        #expect(try EndpointText.parse(path + Self.key).text == path + Self.key)
    }
}
