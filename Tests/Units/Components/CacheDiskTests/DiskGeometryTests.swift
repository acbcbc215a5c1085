import Testing

@testable import CacheDisk

@Suite struct DiskGeometryTests {
    @Test(arguments: [
        16 << 20, 17 << 20, 64 << 20, 100_000_000, 256 << 20, 1 << 30, 10 << 30, 100 << 30,
    ])
    func aConfiguredSizeIsUsedAndNeverExceeded(bytes: Int) throws {
        let geometry = try #require(DiskGeometry.fitting(bytes))
        #expect(geometry.fileBytes <= bytes)
        #expect(geometry.fileBytes > bytes - geometry.segmentBytes)
        #expect(geometry.segmentCount >= 24)
        let overhead = geometry.fileBytes - geometry.segmentBytes * geometry.segmentCount
        #expect(overhead < bytes / 8)
        #expect(geometry.tailOffset % DiskLimits.pageBytes == 0)
        #expect(geometry.segmentsOffset % DiskLimits.pageBytes == 0)
    }

    @Test func tooSmallAndTooLargeFilesHaveNoDivision() {
        #expect(DiskGeometry.fitting(DiskLimits.fileBytesMin - 1) == nil)
        #expect(DiskGeometry.fitting(DiskLimits.segmentBytesAllMax * 2) == nil)
    }

    @Test func sizesThatNoFileHasAreRefused() {
        func make(_ checkpoint: Int, _ tail: Int, _ segment: Int, _ count: Int) -> DiskGeometry? {
            DiskGeometry(
                checkpointBytes: checkpoint, tailBytes: tail, segmentBytes: segment,
                segmentCount: count)
        }
        #expect(make(4_096, 8_192, 4_096, 3) != nil)
        #expect(make(4_095, 8_192, 4_096, 3) == nil && make(0, 8_192, 4_096, 3) == nil)
        #expect(make(4_096, 8_193, 4_096, 3) == nil)
        #expect(make(4_096, 4_096, 4_096, 3) == nil, "a tail is a page and slots")
        #expect(make(4_096, 8_192, 5_000, 3) == nil && make(4_096, 8_192, 2_048, 3) == nil)
        #expect(make(4_096, 8_192, 4_096, 2) == nil)
        #expect(make(4_096, 8_192, 64 << 20, 1 << 20) == nil)
    }
}
