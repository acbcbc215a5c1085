/// One request as its line says it: `time,key,size`. The time says nothing to a cache.
struct TraceLine {
    /// The bytes between the commas without the spaces around them; valid only while the line is.
    let key: UnsafeRawBufferPointer
    let size: UInt32

    private static let comma = UInt8(ascii: ",")

    /// Reads a line without its end.
    ///
    /// - Throws: what is wrong with it.
    init(_ line: UnsafeRawBufferPointer) throws(TraceFault) {
        guard line.count <= TraceLimits.lineBytesMax else { throw .tooLong }
        var first = line.count
        var second = line.count
        var commas = 0
        for index in line.indices where line[index] == Self.comma {
            commas += 1
            if commas == 1 { first = index } else if commas == 2 { second = index }
        }
        guard commas == 2 else { throw .fieldCount(commas + 1) }
        let time = Self.trimmed(line, 0, first)
        guard Self.isNumber(time) || time.isEmpty else { throw .time(Self.text(time)) }
        key = Self.trimmed(line, first + 1, second)
        guard (1...TraceLimits.keyBytesMax).contains(key.count) else { throw .key(key.count) }
        let digits = Self.trimmed(line, second + 1, line.count)
        guard let size = Self.number(digits) else { throw .size(Self.text(digits)) }
        self.size = size
    }

    /// Whether there is nothing on the line but spaces.
    static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy(isSpace)
    }

    /// Whether the line names the columns, as the first one may.
    static func isHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count <= TraceLimits.lineBytesMax else { return false }
        let names = line.split(separator: comma, omittingEmptySubsequences: false).map {
            text(trimmed(line, $0.startIndex, $0.endIndex)).lowercased()
        }
        return names == ["time", "key", "size"]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func trimmed(
        _ line: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) -> UnsafeRawBufferPointer {
        var start = start
        var end = end
        while start < end, isSpace(line[start]) { start += 1 }
        while start < end, isSpace(line[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[start..<end])
    }

    /// A whole number of 32 bits from 1, in digits alone.
    private static func number(_ digits: UnsafeRawBufferPointer) -> UInt32? {
        guard (1...20).contains(digits.count) else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard isDigit(byte), number <= UInt64(UInt32.max) else { return nil }
            number = number * 10 + UInt64(byte &- UInt8(ascii: "0"))
        }
        return number == 0 ? nil : UInt32(exactly: number)
    }

    /// Whether the field is a number as people write one: `17`, `-0.5`, `1.6e9`.
    private static func isNumber(_ field: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        func skipSign() {
            guard index < field.count else { return }
            if field[index] == UInt8(ascii: "-") || field[index] == UInt8(ascii: "+") { index += 1 }
        }
        func digitCount() -> Int {
            let start = index
            while index < field.count, isDigit(field[index]) { index += 1 }
            return index - start
        }
        skipSign()
        var count = digitCount()
        if index < field.count, field[index] == UInt8(ascii: ".") {
            index += 1
            count += digitCount()
        }
        guard count > 0 else { return false }
        if index < field.count, field[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            skipSign()
            guard digitCount() > 0 else { return false }
        }
        return index == field.count
    }

    private static func text(_ field: UnsafeRawBufferPointer) -> String {
        String(decoding: field.prefix(256), as: UTF8.self)
    }
}
