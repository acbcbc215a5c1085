import ByteCoding
import Testing

@Suite struct ByteReaderTests {
    private static let sample: [UInt8] = (0..<24).map { $0 &* 37 &+ 0x81 }

    /// Reads one integer at every offset of every prefix of the sample, and compares it with the
    /// integer put together by hand, or with the refusal that is due.
    private static func readsEverywhere<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) {
        let size = MemoryLayout<Value>.size
        for length in 0...sample.count {
            Array(sample[..<length]).withUnsafeBytes { bytes in
                for offset in 0...length {
                    var reader = ByteReader(bytes)
                    _ = try? reader.bytes(offset)
                    let left = length - offset
                    do throws(CodingDamage) {
                        let value = try reader.integer(type)
                        var expected: Value = 0
                        for index in (0..<size).reversed() {
                            expected = expected << 8
                            expected |= Value(truncatingIfNeeded: bytes[offset + index])
                        }
                        #expect(value == expected)
                        #expect(reader.remainingBytes == left - size)
                    } catch {
                        #expect(left < size)
                        #expect(error == CodingDamage(neededBytes: size, foundBytes: left))
                        #expect(reader.remainingBytes == left, "a refused read moves nothing")
                    }
                }
            }
        }
    }

    @Test func everyIntegerIsReadWhereItFitsAndRefusedWhereNot() {
        Self.readsEverywhere(UInt8.self)
        Self.readsEverywhere(UInt16.self)
        Self.readsEverywhere(UInt32.self)
        Self.readsEverywhere(UInt64.self)
        Self.readsEverywhere(Int8.self)
        Self.readsEverywhere(Int16.self)
        Self.readsEverywhere(Int32.self)
        Self.readsEverywhere(Int64.self)
    }

    @Test func bytesAreGivenWhereTheyAreAndRefusedWhereNot() {
        Self.sample.withUnsafeBytes { bytes in
            for start in 0...bytes.count {
                for count in 0...(bytes.count + 2) {
                    var reader = ByteReader(bytes)
                    _ = try? reader.bytes(start)
                    let slice = try? reader.bytes(count)
                    let fits = start + count <= bytes.count
                    #expect((slice != nil) == fits)
                    #expect(reader.remainingBytes == bytes.count - start - (fits ? count : 0))
                    if let slice { #expect(slice.elementsEqual(bytes[start..<(start + count)])) }
                    #expect(reader.isAtEnd == (reader.remainingBytes == 0))
                }
            }
        }
    }

    @Test(arguments: [-1, Int.min, Int.max])
    func aLengthBeyondReasonIsRefused(count: Int) {
        Self.sample.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            _ = try? reader.bytes(3)
            #expect(throws: CodingDamage(neededBytes: count, foundBytes: 21)) {
                try reader.bytes(count)
            }
            #expect(reader.remainingBytes == 21)
        }
    }

    @Test func anEmptyBufferIsAtItsEnd() throws {
        var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(reader.isAtEnd)
        #expect(try reader.bytes(0).isEmpty)
        #expect(throws: CodingDamage(neededBytes: 1, foundBytes: 0)) {
            try reader.integer(UInt8.self)
        }
    }
}
