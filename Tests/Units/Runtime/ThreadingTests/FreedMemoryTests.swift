#if os(Linux)
    import Foundation
    import Testing
    import Threading

    @Suite struct FreedMemoryTests {
        /// What was freed is at hand, so a page is cleared once and not in every round. A sanitizer
        /// brings an allocator of its own, which this says nothing of.
        @Test(.enabled(if: !AllocatorUnderTest.isSanitized))
        func longBlocksAreMadeInMemoryThatWasFreedBefore() throws {
            FreedMemory.keep(upTo: 8 << 20, allocationMax: 2 << 20)
            Self.useBlocks()
            let before = try Self.pageFaults()
            for _ in 0..<100 { Self.useBlocks() }
            let more = try Self.pageFaults() - before
            #expect(more < 2_000, "4 MiB are 1 024 pages, in each of 100 rounds")
        }

        private static func useBlocks() {
            let blocks = (0..<4).map { _ in
                UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
            }
            for block in blocks {
                for offset in stride(from: 0, to: 1 << 20, by: 4_096) {
                    block.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
                }
            }
            for block in blocks { block.deallocate() }
        }

        /// Of this thread, so far.
        private static func pageFaults() throws -> Int {
            let text = try String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)
            let fields = text.drop { $0 != ")" }.split(separator: " ")
            return try #require(Int(fields[8]))
        }
    }
#endif
