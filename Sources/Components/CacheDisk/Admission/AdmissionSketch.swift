/// Whether a key was asked for more than once lately, about: by that a tier knows what is worth
/// being written.
///
/// A count-min sketch [1] whose counters have two bits and rise conservatively [2]: of the two that
/// stand for a key only the lesser does. They lie in one cache line, of which each row has a half:
///
///     hash, upper bits ─▶ line     │ 128 counters, row 0 │ 128 counters, row 1 │
///           14 lowest  ─▶ counters │   ▲                 │          ▲          │
///
/// What was long ago counts less: while a few keys are counted for each entry expected, every line
/// is halved once, one after the other, so that nobody waits for all of them.
///
/// Two bits and not four: nobody asks for more than *twice*, and in as many bytes half as many keys
/// share a counter. With four bits either most of what was asked for once passed for twice, or what
/// was asked for twice was forgotten too soon (docs/performance.md).
///
/// Owned by one thread. An estimate errs upwards where other keys have the same counters, and is
/// too low by what was halved away; it decides what is kept, never what is true.
///
/// [1] Cormode, Muthukrishnan: An Improved Data Stream Summary, Journal of Algorithms 55, 2005.
/// [2] Estan, Varghese: New Directions in Traffic Measurement and Accounting, SIGCOMM 2002.
package struct AdmissionSketch: ~Copyable {
    package static let countMax = 3
    /// Keys counted for each entry expected until every line has been halved.
    package static let periodUsual = 4
    static let lineBytes = 64
    /// Two bytes for each entry.
    static let entriesPerLine = 32
    private static let rowCount = 2
    private static let rowBytes = lineBytes / rowCount
    /// Of a counter's number in its row.
    private static let columnBits: UInt64 = 7
    private static let linesMin = 16

    private let lines: UnsafeMutableRawPointer
    private let lineCount: Int
    private let countsPerHalving: Int
    /// The next line to be halved, and how many keys are counted before it is.
    private var hand = 0
    private var untilHalving: Int

    /// - Parameters:
    ///   - entryCount: how many entries memory and disk are to hold together; a sketch for none
    ///     counts nothing.
    ///   - period: keys counted for each of them until every line has been halved.
    package init(entryCount: Int, period: Int = periodUsual) {
        precondition(entryCount >= 0 && period > 0, "it is for some entries, and for some time")
        let needed = (entryCount + Self.entriesPerLine - 1) / Self.entriesPerLine
        lineCount = entryCount == 0 ? 0 : max(Self.linesMin, needed)
        countsPerHalving = Self.entriesPerLine * period
        untilHalving = countsPerHalving
        let byteCount = lineCount * Self.lineBytes
        lines = .allocate(byteCount: byteCount, alignment: Self.lineBytes)
        lines.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit { lines.deallocate() }

    /// Entries it has room for.
    package var capacity: Int { lineCount * Self.entriesPerLine }

    package var memoryBytes: Int { lineCount * Self.lineBytes }

    /// Counts one request.
    ///
    /// - Parameter hash: of the key; every bit of it counts.
    /// - Complexity: O(1), one cache line, and now and then another.
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

    /// How often the key was asked for, 0 to ``countMax``.
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

    // MARK: Places

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
