import ByteCoding
import CacheLoading

/// A write queue's journal made for a test, byte by byte, in either form.
struct JournalForge {
    /// `nil`: the first form, which has none.
    let salt: FileSalt?

    /// A file whose first record has the number 1.
    func file(_ records: [[UInt8]]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(Array("MARTLETQ".utf8))
        writer.append(UInt32(salt == nil ? 1 : 2))
        writer.append(UInt32(0))
        writer.append(UInt64(1))
        if let salt { writer.append(salt.rawValue) }
        writer.append(UInt32(0))
        let sum = CRC32C.checksum(writer.bytes)
        writer.append(sum)
        return writer.array + records.joined()
    }

    /// What stands in front of a record, with a checksum of nothing.
    func head(bytes: Int, number: UInt64, synchronized: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt32(0))
        writer.append(UInt32(bytes))
        if let salt { writer.append(salt.rawValue) }
        writer.append(number)
        writer.append(UInt64(synchronized))
        return writer.array
    }

    func write(
        _ write: UInt64, _ value: String, number: UInt64, synchronized: Int = 0
    ) -> [UInt8] {
        self.write(write, Array(value.utf8), number: number, synchronized: synchronized)
    }

    /// The key `k` of the default namespace gets a value.
    func write(
        _ write: UInt64, _ value: [UInt8], number: UInt64, synchronized: Int = 0
    ) -> [UInt8] {
        var writer = ByteWriter()
        for word in [write, 1, 2, 3] { writer.append(word) }
        writer.append(UInt16(7))
        writer.append(UInt16(1))
        writer.append(Array("defaultk".utf8))
        writer.append(value)
        return record(1, writer.array, number: number, synchronized: synchronized)
    }

    /// A write is over.
    func done(_ write: UInt64, number: UInt64, synchronized: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(write)
        return record(3, writer.array, number: number, synchronized: synchronized)
    }

    private func record(
        _ kind: UInt8, _ body: [UInt8], number: UInt64, synchronized: Int
    ) -> [UInt8] {
        let rest = [kind] + [UInt8](repeating: 0, count: 7) + body
        let headBytes = salt == nil ? 24 : 32
        var record =
            head(bytes: headBytes + rest.count, number: number, synchronized: synchronized) + rest
        let sum = record[4...].withUnsafeBytes { CRC32C.checksum($0) }
        withUnsafeBytes(of: sum.littleEndian) { record.replaceSubrange(..<4, with: $0) }
        return record
    }
}

extension FileSalt {
    static var sample: FileSalt {
        guard let salt = FileSalt(rawValue: 0x1716_1514_1312_1110) else {
            preconditionFailure("it is not zero")
        }
        return salt
    }
}
