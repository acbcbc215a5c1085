import Testing

@testable import CacheDisk

@Suite struct TailTests {
    private static func tail(_ memory: UnsafeMutableRawBufferPointer) -> Tail {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        let tail = Tail(memory, RecordSeal(tier: 3), state: TailState())
        tail.clear()
        return tail
    }

    private static func runs(
        _ memory: UnsafeMutableRawBufferPointer
    ) -> (found: [Tail.Run], damagedCount: Int) {
        Tail.runs(UnsafeRawBufferPointer(memory), RecordSeal(tier: 3), DiskBench.geometry)
    }

    /// It tells where the log ends: were it used again first, a process that ends right then would
    /// leave nobody to tell.
    @Test func theSlotOfTheNewestRunIsNotUsedAgainAtOnce() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 64)
        defer { memory.deallocate() }
        var tail = Self.tail(memory)
        var last: Int?
        for round in 1...20 {
            let isOpened = tail.begin(SegmentNumber(1), at: 32 + round * 16)
            #expect(isOpened && tail.open != last, "round \(round)")
            last = tail.open
            tail.append(16) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
            let run = tail.finish(DiskTicket(UInt64(round)))
            #expect(run?.range.count == 16)
            let isSlot = tail.written(DiskTicket(UInt64(round)))
            #expect(isSlot && tail.freeCount == Tail.slotCount - 1)
        }
    }

    /// It was opened where the log ended, and killed before anything was in it.
    @Test func aRunThatHoldsNothingTellsWhereTheLogEnds() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 64)
        defer { memory.deallocate() }
        var tail = Self.tail(memory)
        let isOpened = tail.begin(SegmentNumber(4), at: 96)
        let runs = Self.runs(memory)
        #expect(isOpened && runs.found.map(\.end) == [96] && runs.damagedCount == 0)
    }

    @Test func whatItSaysIsReadFromTheNewestCopyThatIsWhole() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8_192, alignment: 64)
        defer { memory.deallocate() }
        var tail = Self.tail(memory)
        for number in 1...5 { tail.say { $0.previousEnd = number } }
        let seal = RecordSeal(tier: 3)
        #expect(Tail.state(UnsafeRawBufferPointer(memory), seal, DiskBench.geometry) == tail.state)
        for bit in 0..<512 * 8 {
            memory[bit / 8] ^= UInt8(1 << (bit % 8))
            let state = Tail.state(UnsafeRawBufferPointer(memory), seal, DiskBench.geometry)
            #expect(state == tail.state, "bit \(bit)")
            memory[bit / 8] ^= UInt8(1 << (bit % 8))
        }
        let other = RecordSeal(tier: 4)
        #expect(Tail.state(UnsafeRawBufferPointer(memory), other, DiskBench.geometry) == nil)
    }
}
