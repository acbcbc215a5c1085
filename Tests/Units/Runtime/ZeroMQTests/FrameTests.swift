import Testing
import ZeroMQ

@Suite struct FrameTests {
    @Test(arguments: [0, 1, 33, 34, 10_000])
    func movingAFrameKeepsItsBytesAtTheirAddress(length: Int) {
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

    @Test func aFrameThatOwnsItsMemoryDoesNotCopyIt() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 9, count: 100_000)
        let bytes = UnsafeRawBufferPointer(start: memory + 10, count: 50_000)
        let frame = Frame(owning: bytes, in: memory)
        let (address, count) = (frame.bytes.baseAddress, frame.bytes.count)
        #expect(address == bytes.baseAddress)
        #expect(count == 50_000)
    }
}
