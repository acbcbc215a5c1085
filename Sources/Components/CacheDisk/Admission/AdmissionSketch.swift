/// Estimates whether a key was requested more than once recently, to decide what is worth writing.
///
/// A count-min sketch [1] of two-bit counters with conservative update [2]: of a key's two counters
/// only the smaller is incremented. Both are in one cache line; each row has half of it:
///
///     hash, upper bits ─▶ line     │ 128 counters, row 0 │ 128 counters, row 1 │
///           14 lowest  ─▶ counters │   ▲                 │          ▲          │
///
/// Counts age: while a few keys are counted for each expected entry, every line is halved once, one
/// at a time, so that no request waits for all of them.
///
/// Two bits and not four: the threshold is *twice*, and in as many bytes half as many keys share a
/// counter. With four bits either most keys requested once counted as twice, or keys requested
/// twice were aged out too soon (docs/performance.md).
///
/// Owned by one thread. An estimate is too high where other keys share the counters, and too low by
/// the halvings. It affects what is kept, never correctness.
///
/// [1] Cormode, Muthukrishnan: An Improved Data Stream Summary, Journal of Algorithms 55, 2005.
/// [2] Estan, Varghese: New Directions in Traffic Measurement and Accounting, SIGCOMM 2002.
package struct AdmissionSketch: ~Copyable {
    package static let countMax = 3
    /// Keys counted for each entry expected until every line has been halved.
    package static let periodUsual = 4
    static let lineBytes = 64
    /// Two bytes per entry.
    static let entriesPerLine = 32
    private static let rowCount = 2
    private static let rowBytes = lineBytes / rowCount
    /// Bits of a counter's number in its row.
    private static let columnBits: UInt64 = 7
    private static let linesMin = 16

    private let lines: UnsafeMutableRawPointer
    private let lineCount: Int
    private let countsPerHalving: Int
    /// The next line to halve, and the number of keys counted before that.
    private var hand = 0
    private var untilHalving: Int

    /// - Parameters:
    ///   - entryCount: expected entries in memory and on disk together; with 0 nothing is counted.
    ///   - period: keys counted per expected entry until every line has been halved.
    package init(entryCount: Int, period: Int = periodUsual) {
        precondition(entryCount >= 0 && period > 0, "entry count and period are in range")
        let needed = (entryCount + Self.entriesPerLine - 1) / Self.entriesPerLine
        lineCount = entryCount == 0 ? 0 : max(Self.linesMin, needed)
        countsPerHalving = Self.entriesPerLine * period
        untilHalving = countsPerHalving
        let byteCount = lineCount * Self.lineBytes
        lines = .allocate(byteCount: byteCount, alignment: Self.lineBytes)
        lines.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit { lines.deallocate() }

    /// Entries it is sized for.
    package var capacity: Int { lineCount * Self.entriesPerLine }

    package var memoryBytes: Int { lineCount * Self.lineBytes }

    /// Counts one request.
    ///
    /// - Parameter hash: the key's hash; all its bits are used.
    /// - Complexity: O(1): one cache line, occasionally a second one.
    package mutating func count(_ hash: UInt64) {
        guard lineCount > 0 else { return }
        let line = line(of: hash)
        let least = Self.least(line, hash)
        if least < Self.countMax {
            for row in 0..<Self.rowCount where Self.counter(line, hash, row) == least {
                let (byte, shift) = Self.place(hash, row)
                let value = line.load(fromByteOffset: byte, as: UInt8.self)
                line.storeBytes(of: value + 1 << shift, toByteOffset: byte, as: UInt8.self)
            }
        }
        untilHalving -= 1
        if untilHalving == 0 { halveNext() }
    }

    /// The number of requests of the key, 0 to ``countMax``.
    package func estimate(_ hash: UInt64) -> Int {
        lineCount == 0 ? 0 : Self.least(line(of: hash), hash)
    }

    private mutating func halveNext() {
        let line = lines + hand * Self.lineBytes
        for offset in stride(from: 0, to: Self.lineBytes, by: 8) {
            let word = line.load(fromByteOffset: offset, as: UInt64.self)
            let halves = word >> 1 & 0x5555_5555_5555_5555
            line.storeBytes(of: halves, toByteOffset: offset, as: UInt64.self)
        }
        hand = (hand + 1) % lineCount
        untilHalving = countsPerHalving
    }

    // MARK: Counter positions

    @inline(__always)
    private func line(of hash: UInt64) -> UnsafeMutableRawPointer {
        lines + Int(hash.multipliedFullWidth(by: UInt64(lineCount)).high) * Self.lineBytes
    }

    @inline(__always)
    private static func place(_ hash: UInt64, _ row: Int) -> (byte: Int, shift: UInt8) {
        let number = hash >> (columnBits * UInt64(row)) & (1 << columnBits - 1)
        let column = Int(truncatingIfNeeded: number)
        return (row * rowBytes + column / 4, UInt8(column % 4 * 2))
    }

    @inline(__always)
    private static func counter(
        _ line: UnsafeMutableRawPointer, _ hash: UInt64, _ row: Int
    ) -> Int {
        let (byte, shift) = place(hash, row)
        return Int(line.load(fromByteOffset: byte, as: UInt8.self) >> shift & 3)
    }

    @inline(__always)
    private static func least(_ line: UnsafeMutableRawPointer, _ hash: UInt64) -> Int {
        var least = countMax
        for row in 0..<rowCount { least = min(least, counter(line, hash, row)) }
        return least
    }
}
