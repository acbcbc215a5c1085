import PublisherCore
import Testing

@Suite struct PeerIDTests {
    @Test(arguments: 0...20)
    func aNameOfOneToFifteenBytesIsKeptAsItIs(count: Int) {
        let bytes = (0..<count).map { UInt8($0 + 1) }
        let peer = bytes.withUnsafeBytes { PeerID($0) }
        #expect((peer != nil) == (1...PeerID.bytesMax).contains(count))
        #expect(peer?.withUnsafeBytes { Array($0) } == (peer == nil ? nil : bytes))
    }

    @Test func namesThatDifferOnlyInLengthAreTwo() {
        let short = [0, 0].withUnsafeBytes { PeerID(UnsafeRawBufferPointer(rebasing: $0[..<1])) }
        let long = [0, 0].withUnsafeBytes { PeerID(UnsafeRawBufferPointer(rebasing: $0[..<2])) }
        #expect(short != long)
    }
}
