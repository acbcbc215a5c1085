import CacheConfiguration
import Testing

@Suite struct HTTPPlaceTests {
    @Test(arguments: [
        ("9400", "127.0.0.1:9400"), ("localhost:1", "127.0.0.1:1"), ("[::1]:65535", "[::1]:65535"),
        ("10.0.0.7:80", "10.0.0.7:80"), ("*:80", "0.0.0.0:80"), ("127.0.0.1:0", "127.0.0.1:0"),
        ("0.0.0.0:9400", "0.0.0.0:9400"),
    ])
    func aPlaceIsReadAndWritten(text: String, written: String) throws {
        #expect(try HTTPPlace.parse(text).description == written)
        #expect(try HTTPPlace.parse(written).description == written)
    }

    @Test(arguments: [
        "", ":", ":9400", "a", "a:9400", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "-1",
        "127.0.0.1:+80", "127.0.0:80", "1.2.3.256:80", "1.2.3.4.5:80", "+1.2.3.4:80",
        "127.-0.0.1:80", "[]:80",
        "[x]:80", "::1:80", "http://127.0.0.1:80", "99999", " 9400", "9400 ", "１２:80",
    ])
    func whatIsNoPlaceIsRefused(text: String) {
        #expect(throws: TextProblem.self) { try HTTPPlace.parse(text) }
    }

    @Test(arguments: [
        ("9400", true), ("127.1.2.3:1", true), ("[::1]:1", true), ("0.0.0.0:1", false),
        ("[::]:1", false), ("10.0.0.1:1", false), ("*:1", false),
    ])
    func whatOthersReachIsNotLoopback(text: String, isLoopback: Bool) throws {
        #expect(try HTTPPlace.parse(text).isLoopback == isLoopback)
    }

    @Test func twoCannotHaveOnePlace() {
        let refusal = ConfigurationSamples.refusal(
            of: "publisher: {http: 9400}\nnodes:\n  - {id: n1, http: \"127.0.0.1:9400\"}\n")
        #expect(refusal.count == 1 && refusal[0].contains("is taken by publisher.http already"))
        let wrong = ConfigurationSamples.refusal(of: "nodes:\n  - {id: n1, http: soon}\n")
        #expect(wrong.count == 1 && wrong[0].contains("nodes[0].http: "), "\(wrong)")
    }
}
