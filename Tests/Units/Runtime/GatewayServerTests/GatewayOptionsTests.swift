import MartletClient
import Testing

@testable import GatewayServer

@Suite struct GatewayOptionsTests {
    private static func isLoopback(_ host: String) -> Bool {
        let client = CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:7400"])
        return GatewayOptions(host: host, port: 0, client: client).isLoopback
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.255.0.9", "::1"])
    func addressesOfThisMachineAreLoopback(host: String) {
        #expect(Self.isLoopback(host))
    }

    /// The owner of such a name decides where it leads, and no token would be needed there.
    @Test(arguments: [
        "127.example.com", "127.0.0.1.nip.io", "127.0.0.256", "127.1", "0.0.0.0", "::", "10.0.0.1",
        "localhost.example.com",
    ])
    func namesThatBeginLikeOneAreNot(host: String) {
        #expect(!Self.isLoopback(host))
    }
}
