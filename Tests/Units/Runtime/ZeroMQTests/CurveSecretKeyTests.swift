import Testing
import ZeroMQ

@Suite struct CurveSecretKeyTests {
    @Test func aSecretKeyHas32Bytes() {
        for count in 0...70 {
            let key = CurveSecretKey(bytes: [UInt8](repeating: 9, count: count))
            #expect((key != nil) == (count == CurveSecretKey.byteCount))
        }
    }

    @Test func itIsItsBytesAndShowsNone() throws {
        let bytes = (0..<32).map { UInt8($0 + 100) }
        let key = try #require(CurveSecretKey(bytes: bytes))
        #expect(key.bytes == bytes)
        #expect("\(key)" == "a secret key" && String(reflecting: key) == "a secret key")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
