import ByteCoding
import Testing

@Suite struct ByteWriterTests {
    @Test func integersAreWrittenLeastByteFirst() {
        var writer = ByteWriter(capacityBytes: 1)
        writer.append(UInt8(0x01))
        writer.append(UInt16(0x0302))
        writer.append(UInt32(0x0706_0504))
        writer.append(UInt64(0x0F0E_0D0C_0B0A_0908))
        writer.append(Int16(-2))
        #expect(writer.array == Array(1...15) + [0xFE, 0xFF])
        #expect(writer.count == 17)
    }

    @Test func whatWasWrittenSurvivesEveryGrowth() {
        for capacity in 1...20 {
            var writer = ByteWriter(capacityBytes: capacity)
            var expected: [UInt8] = []
            for step in 0..<200 {
                switch step % 4 {
                case 0:
                    writer.append(UInt8(step))
                    expected.append(UInt8(step))
                case 1:
                    writer.append(UInt32(step))
                    expected += [UInt8(step), 0, 0, 0]
                case 2:
                    writer.append([UInt8](repeating: UInt8(step), count: step))
                    expected += [UInt8](repeating: UInt8(step), count: step)
                default:
                    writer.append(zeros: step % 7)
                    expected += [UInt8](repeating: 0, count: step % 7)
                }
                #expect(writer.count == expected.count)
            }
            #expect(writer.array == expected, "a capacity of \(capacity)")
        }
    }

    @Test func nothingAppendedChangesNothing() {
        var writer = ByteWriter()
        writer.append([])
        writer.append(UnsafeRawBufferPointer(start: nil, count: 0))
        writer.append(zeros: 0)
        #expect(writer.count == 0)
        #expect(writer.bytes.isEmpty)
    }

    @Test func roomThatWasReservedIsNotMovedAwayFrom() {
        var writer = ByteWriter(capacityBytes: 1)
        writer.reserve(1_000)
        let before = writer.bytes.baseAddress
        writer.append(zeros: 1_000)
        #expect(writer.bytes.baseAddress == before)
    }

    @Test func removingAllKeepsTheRoom() {
        var writer = ByteWriter(capacityBytes: 1)
        writer.append(zeros: 1_000)
        let before = writer.bytes.baseAddress
        writer.removeAll()
        #expect(writer.count == 0)
        writer.append([UInt8](repeating: 7, count: 1_000))
        #expect(writer.bytes.baseAddress == before)
        #expect(writer.array.allSatisfy { $0 == 7 })
    }

    @Test func whatIsCutOffIsWrittenOver() {
        for length in 0...8 {
            var writer = ByteWriter(capacityBytes: 4)
            writer.append(Array(0..<8))
            writer.truncate(to: length)
            #expect(writer.array == Array(0..<UInt8(length)))
            writer.append(UInt8(0xAA))
            #expect(writer.array == Array(0..<UInt8(length)) + [0xAA])
        }
    }

    @Test func aPatchChangesItsBytesAndNoOthers() {
        for offset in 0...6 {
            var writer = ByteWriter(capacityBytes: 4)
            writer.append([UInt8](repeating: 0xEE, count: 8))
            writer.patch(UInt16(0x0201), at: offset)
            var expected = [UInt8](repeating: 0xEE, count: 8)
            expected[offset] = 1
            expected[offset + 1] = 2
            #expect(writer.array == expected)
        }
    }

    @Test func aWriterWithoutRoomTraps() async {
        await #expect(processExitsWith: .failure) { _ = ByteWriter(capacityBytes: 0) }
    }

    @Test func cuttingLongerTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.append(UInt32(1))
            writer.truncate(to: 5)
        }
    }

    @Test func cuttingBelowNothingTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.truncate(to: -1)
        }
    }

    @Test func patchingPastTheEndTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.append(UInt32(1))
            writer.patch(UInt16(1), at: 3)
        }
    }

    @Test func patchingBeforeTheStartTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.append(UInt32(1))
            writer.patch(UInt16(1), at: -1)
        }
    }

    @Test func appendingLessThanNothingTraps() async {
        await #expect(processExitsWith: .failure) {
            var writer = ByteWriter()
            writer.append(UInt32(1))
            writer.append(zeros: -1)
        }
    }

    @Test func whatIsDetachedStaysAsItWasWhileTheWriterGoesOn() {
        var writer = ByteWriter(capacityBytes: 1)
        writer.append([1, 2, 3, 4, 5])
        let memory = writer.detach(replacedBy: 2)
        #expect(writer.count == 0)
        #expect(writer.capacity == 2)
        for _ in 0..<100 { writer.append(UInt64.max) }
        #expect(Array(UnsafeRawBufferPointer(start: memory, count: 5)) == [1, 2, 3, 4, 5])
        #expect(writer.array == [UInt8](repeating: 0xFF, count: 800))
        memory.deallocate()
    }
}
