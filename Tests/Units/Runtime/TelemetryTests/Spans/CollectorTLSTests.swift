import NIOSSL
import Testing

@testable import Telemetry

@Suite struct CollectorTLSTests {
    @Test func aCollectorIsSpokenToByTLS12AndLater() {
        #expect(TLSConfiguration.ofSpans.minimumTLSVersion == .tlsv12)
        #expect(TLSConfiguration.makeClientConfiguration().minimumTLSVersion == .tlsv1)
    }
}
