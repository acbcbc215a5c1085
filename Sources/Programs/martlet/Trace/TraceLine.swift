import CacheConfiguration
import CommandSurface

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

/// What is wrong with a line of a trace.
enum TraceFault: Error, Hashable {
    case tooLong
    case fieldCount(Int)
    case time(String)
    /// With the bytes that it has.
    case key(Int)
    case size(String)

    var sentence: String {
        switch self {
        case .tooLong: "the line has more than \(TraceLimits.lineBytesMax) bytes"
        case .fieldCount(let count):
            "\(FigureText.count(count, "field")), not the three of time,key,size"
        case .time(let text): "the time \(TextProblem.quote(text)) is not a number"
        case .key(let count): "a key has 1 to \(TraceLimits.keyBytesMax) bytes, not \(count)"
        case .size(let text):
            "the size \(TextProblem.quote(text)) is not a whole number from 1 to \(UInt32.max)"
        }
    }
}

/// A malformed line and where it stands.
struct TraceProblem: Error, Hashable {
    /// From 1.
    var line: Int
    var fault: TraceFault

    /// What editors can find: `FILE:LINE: what is wrong`.
    func sentence(in path: String) -> String {
        "\(HarmlessText.line(path)):\(line): \(fault.sentence)"
    }
}

/// Bounds of reading a trace, side by side.
enum TraceLimits {
    /// Longest line that is looked at; a longer one is malformed, and never held in memory.
    static let lineBytesMax = 16_384
    /// Longest key, as for every key of the cache.
    static let keyBytesMax = 4_096
    /// Most requests of one trace: they take 8 bytes each, 16 GiB in all.
    static let requestsMax = 1 << 31
    /// What is read at once.
    static let pieceBytes = 1 << 20
    /// How many pieces after a malformed line are unpacked to learn whether the file is damaged.
    static let drainedPiecesMax = 256
    /// Most parts that a cache is cut into.
    static let shards = 1...1_024
}
