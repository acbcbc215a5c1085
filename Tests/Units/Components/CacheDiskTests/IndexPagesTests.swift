import Testing

@testable import CacheDisk

@Suite struct IndexPagesTests {
    @Test func theLastPageMovesIntoTheHole() {
        var pages = IndexPages()
        for order in 0..<5 {
            let page = pages.take(for: .init(part: 7, order: order))
            pages.address(page).initializeMemory(
                as: UInt64.self, repeating: UInt64(100 + order), count: 128)
        }
        #expect(pages.giveBack(1) == .init(part: 7, order: 4))
        #expect(pages.count == 4)
        #expect(pages.owner(1) == .init(part: 7, order: 4))
        #expect(pages.address(1).load(as: UInt64.self) == 104)
        #expect(pages.address(1).load(fromByteOffset: 1_016, as: UInt64.self) == 104)
        #expect(pages.giveBack(3) == nil, "it was the last itself")
        #expect(pages.address(2).load(as: UInt64.self) == 102)
    }

    @Test func pagesAreApartAndInCacheLines() {
        var pages = IndexPages()
        let count = 3 * IndexPages.pagesPerSlab
        var addresses: Set<UInt> = []
        for order in 0..<count {
            let page = pages.take(for: .init(part: 1_023, order: order))
            let address = UInt(bitPattern: pages.address(page))
            if address % 64 != 0 { Issue.record("page \(page) begins inside a cache line") }
            addresses.insert(address)
        }
        let sorted = addresses.sorted()
        #expect(sorted.count == count)
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $1 - $0 >= 1_024 })
        #expect(pages.owner(UInt32(count - 1)) == .init(part: 1_023, order: count - 1))
    }

    @Test func memoryGoesBackWithThePages() {
        var pages = IndexPages()
        let empty = pages.memoryBytes
        for order in 0..<20 * IndexPages.pagesPerSlab {
            _ = pages.take(for: .init(part: 0, order: order))
        }
        #expect(pages.memoryBytes >= empty + 20 * IndexPages.slabBytes)
        while pages.count > 1 { _ = pages.giveBack(0) }
        #expect(pages.memoryBytes <= 2 * empty + 2 * IndexPages.slabBytes, "one spare slab")
        _ = pages.giveBack(0)
        #expect(pages.memoryBytes <= 2 * empty)
    }

    @Test func aPageThatIsNotInUseIsRefused() async {
        await #expect(processExitsWith: .failure) { _ = IndexPages().address(0) }
        await #expect(processExitsWith: .failure) {
            var pages = IndexPages()
            _ = pages.giveBack(0)
        }
    }
}
