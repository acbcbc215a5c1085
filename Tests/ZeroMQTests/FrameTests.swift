import Testing
import ZeroMQ

@Suite struct FrameTests {
    @Test(arguments: [0, 1, 33, 34, 10_000])
    func aFrameHoldsACopyThatStaysWhereItIsWhenTheFrameMoves(length: Int) {
        let original = (0..<length).map { UInt8($0 & 0xFF) }
        let frame = Frame(copying: original)
        let before = frame.bytes.baseAddress
        var holder: Frame? = consume frame
        guard let moved = holder.take() else { return }
        let (after, copy) = (moved.bytes.baseAddress, moved.withUnsafeBytes { Array($0) })
        let hasMore = moved.hasMore
        #expect(before == after)
        #expect(copy == original)
        #expect(!hasMore)
    }

    @Test func anEmptyFrameHasNoBytes() {
        let frame = Frame()
        let count = frame.bytes.count
        #expect(count == 0)
    }
}
