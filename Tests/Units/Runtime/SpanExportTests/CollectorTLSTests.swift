import NIOSSL
import Testing

@testable import SpanExport

@Suite struct CollectorTLSTests {
    @Test func aCollectorIsSpokenToByTLS12AndLater() {
        #expect(TLSConfiguration.ofSpans.minimumTLSVersion == .tlsv12)
        #expect(TLSConfiguration.makeClientConfiguration().minimumTLSVersion == .tlsv1)
    }
}
