import Testing

@testable import CacheDisk

@Suite struct DiskIndexTests {
    private static let someClass = LengthClass(bytes: 152)

    private static func address(_ number: Int) -> RecordAddress {
        RecordAddress(rawValue: UInt64(number))
    }

    /// Fingerprints in the first `parts` parts, all different, and spread over them.
    private static func fingerprint(_ number: Int, parts: Int) -> Fingerprint {
        let hash = UInt64(number / parts) &* 0x27D_4EB3 & PartGeometry.hashMask
        return Fingerprint(rawValue: UInt64(number % parts) << 26 | hash)
    }

    // MARK: What is found

    @Test func whatWasPutLastIsFound() {
        var index = DiskIndex(seed: 1)
        let fingerprint = Fingerprint(rawValue: 0x9_1234_5678)
        #expect(index.find(fingerprint) == nil)
        #expect(index.put(fingerprint, at: Self.address(7), .least) == nil)
        #expect(index.find(fingerprint)?.address == Self.address(7))
        #expect(index.put(fingerprint, at: Self.address(8), .greatest)?.address == Self.address(7))
        #expect(index.find(fingerprint)?.address == Self.address(8))
        #expect(index.find(fingerprint)?.lengthClass == .greatest)
        #expect(index.count == 1)
        #expect(index.remove(fingerprint)?.address == Self.address(8))
        #expect(index.find(fingerprint) == nil)
        #expect(index.remove(fingerprint) == nil)
        #expect(index.count == 0)
    }

    @Test(arguments: [0, 1 << 36 - 1, 1 << 26 - 1, 1 << 22 - 1, 0x5_5555_5555] as [UInt64])
    func everyValueOfAFieldIsKept(raw: UInt64) {
        var index = DiskIndex(seed: 1)
        let fingerprint = Fingerprint(rawValue: raw)
        for address in [0, 1, 1 << 33, 1 << 34 - 1] as [UInt64] {
            for number in 1...63 as ClosedRange<UInt8> {
                guard let lengthClass = LengthClass(rawValue: number) else { return }
                _ = index.put(fingerprint, at: RecordAddress(rawValue: address), lengthClass)
                let found = index.find(fingerprint)
                #expect(found?.address.rawValue == address)
                #expect(found?.lengthClass == lengthClass)
                #expect(found?.isUsed == false)
            }
        }
    }

    @Test func aRecordIsUsedOnlyOnceMarkedAtItsAddress() {
        var index = DiskIndex(seed: 1)
        let fingerprint = Fingerprint(rawValue: 99)
        _ = index.put(fingerprint, at: Self.address(1), Self.someClass)
        index.markUsed(fingerprint, at: Self.address(2))
        index.markUsed(Fingerprint(rawValue: 98), at: Self.address(1))
        #expect(index.find(fingerprint)?.isUsed == false)
        index.markUsed(fingerprint, at: Self.address(1))
        #expect(index.find(fingerprint)?.isUsed == true)
        #expect(index.find(fingerprint)?.address == Self.address(1))
        #expect(index.remove(fingerprint, at: Self.address(2)) == nil)
        _ = index.put(fingerprint, at: Self.address(1), Self.someClass)
        #expect(index.find(fingerprint)?.isUsed == false)
        index.markUsed(fingerprint, at: Self.address(1))
        #expect(index.remove(fingerprint, at: Self.address(1))?.isUsed == true)
        #expect(index.remove(fingerprint, at: Self.address(1)) == nil)
    }

    /// In a small part, and in one that has grown.
    @Test(arguments: [0, 30_000])
    func identitiesThatDifferInOneBitNeverMeet(others: Int) {
        var index = DiskIndex(seed: 1)
        for number in 0..<others {
            _ = index.put(Self.fingerprint(number, parts: 4), at: Self.address(0), .least)
        }
        let (a, b) = (0x0_05A5_A5A5 as UInt64, 0x9_C3D2_E1F0 as UInt64)
        for raw in [a, b] {
            let neighbours = (0..<36).map { Fingerprint(rawValue: raw ^ 1 << UInt64($0)) }
            _ = index.put(Fingerprint(rawValue: raw), at: Self.address(1), .least)
            for neighbour in neighbours { #expect(index.find(neighbour) == nil) }
            for (number, neighbour) in neighbours.enumerated() {
                #expect(index.put(neighbour, at: Self.address(100 + number), .least) == nil)
            }
            for (number, neighbour) in neighbours.enumerated() {
                #expect(index.find(neighbour)?.address == Self.address(100 + number))
            }
            #expect(index.find(Fingerprint(rawValue: raw))?.address == Self.address(1))
        }
    }

    // MARK: Growing and shrinking

    @Test func growingAndShrinkingKeepWhatIsThere() {
        var index = DiskIndex(seed: 1)
        let empty = index.memoryBytes
        let count = 60_000
        for number in 0..<count {
            _ = index.put(
                Self.fingerprint(number, parts: 8), at: Self.address(number), Self.someClass)
        }
        for number in stride(from: 0, to: count, by: 3) {
            index.markUsed(Self.fingerprint(number, parts: 8), at: Self.address(number))
        }
        let full = index.pages.count
        for number in 0..<count where number % 10 != 0 {
            let removed = index.remove(Self.fingerprint(number, parts: 8))
            #expect(removed?.address == Self.address(number))
        }
        #expect(index.pages.count < full / 3, "half of the parts are empty, the others are not")
        for number in stride(from: 0, to: count, by: 10) {
            let found = index.find(Self.fingerprint(number, parts: 8))
            #expect(found?.address == Self.address(number))
            #expect(found?.isUsed == (number % 3 == 0))
            #expect(
                index.remove(Self.fingerprint(number, parts: 8), at: Self.address(number)) != nil)
        }
        #expect(index.count == 0)
        #expect(index.memoryBytes <= empty + 1_024, "only the table of slabs may be larger")
    }

    @Test func removingAllGivesItsMemoryBack() {
        var index = DiskIndex(seed: 1)
        let empty = index.memoryBytes
        for _ in 0..<2 {
            for number in 0..<5_000 {
                _ = index.put(
                    Self.fingerprint(number, parts: 900), at: Self.address(number), .least)
            }
            #expect(index.memoryBytes > empty + 900 * 1_024)
            index.removeAll()
            #expect(index.count == 0)
            #expect(index.memoryBytes == empty)
            #expect(index.find(Self.fingerprint(17, parts: 900)) == nil)
            index.forEach { fingerprint, _ in Issue.record("\(fingerprint) is still there") }
        }
    }

    @Test func anEntryTakesAboutNineBytes() {
        let parts = 64
        var index = DiskIndex(seed: 1)
        var (least, most) = (9.9, 0.0)
        for number in 0..<160_000 {
            _ = index.put(Self.fingerprint(number, parts: parts), at: Self.address(number), .least)
            guard number > 1_400 * parts, number % 100 == 0 else { continue }
            // Without the table of 1 024 parts, and the slab that is not full.
            let bytes = index.pages.count * (IndexPages.pageBytes + 4) + index.listBytes
            let each = Double(bytes) / Double(number + 1)
            (least, most) = (min(least, each), max(most, each))
        }
        #expect(index.memoryBytes < Int(most * 160_000) + 2 * IndexPages.slabBytes)
        #expect(least > 8.2)
        #expect(most < 9.3)
    }

    /// Parts that were filled evenly have different sizes, so that they do not grow all at once.
    @Test(arguments: [500, 1_000, 2_000])
    func partsOfAsManyEntriesDifferInSize(entriesPerPart: Int) {
        let parts = 64
        var index = DiskIndex(seed: 1)
        for number in 0..<parts * entriesPerPart {
            _ = index.put(Self.fingerprint(number, parts: parts), at: Self.address(number), .least)
        }
        let sizes = Dictionary(grouping: 0..<parts, by: { index.parts[$0].pageCount })
        #expect(sizes.count >= 2)
        #expect(sizes.values.allSatisfy { $0.count < parts * 4 / 5 })
    }

    @Test func theSameCallsMakeTheSameIndex() {
        func order(seed: UInt64) -> [Fingerprint] {
            var index = DiskIndex(seed: seed)
            for number in 0..<6_000 {
                _ = index.put(Self.fingerprint(number, parts: 2), at: Self.address(number), .least)
            }
            var fingerprints: [Fingerprint] = []
            index.forEach { fingerprint, _ in fingerprints.append(fingerprint) }
            return fingerprints
        }
        let first = order(seed: 1)
        #expect(order(seed: 1) == first)
        #expect(order(seed: 2) != first, "the seed chooses the ways")
        #expect(Set(order(seed: 2)) == Set(first))
    }
}
