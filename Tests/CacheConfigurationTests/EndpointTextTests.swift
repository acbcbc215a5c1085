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
    func whatNobodyCouldConnectToIsRefused(text: String) {
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
}
