import LibC

/// Makes requests of a trace's bytes, which come in pieces cut anywhere.
///
/// Pure: it reads no file. It keeps the beginning of an unfinished line, and no more of that than
/// ``TraceLimits/lineBytesMax``. Lines end with a newline, and a carriage return before it is no
/// part of them; the last may lack its end. Blank lines are passed over, and so is a first line
/// that names the columns.
struct TraceParser {
    /// Lines looked at.
    private(set) var lineCount = 0
    /// Malformed lines that were passed over.
    private(set) var skippedCount = 0
    private(set) var firstSkipped: TraceProblem?
    private let skipsMalformed: Bool
    /// The unfinished line.
    private var beginning: [UInt8] = []
    /// Whether that line is longer than one may be; then `beginning` is empty.
    private var isTooLong = false

    /// - Parameter skipsMalformed: whether malformed lines are counted instead of refused.
    init(skipsMalformed: Bool) {
        self.skipsMalformed = skipsMalformed
    }

    /// Takes the next bytes, and hands each request on.
    ///
    /// - Throws: the first malformed line, unless such are skipped; then the parser is done.
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, _ take: (TraceLine) -> Void
    ) throws(TraceProblem) {
        var start = 0
        while let end = Self.newline(in: bytes, from: start) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end + 1
            if beginning.isEmpty, !isTooLong {
                try look(at: line, take)
            } else {
                keep(line)
                try lookAtBeginning(take)
            }
        }
        keep(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }

    /// There are no more bytes: the last line may lack its end.
    ///
    /// - Throws: as ``feed(_:_:)``.
    mutating func finish(_ take: (TraceLine) -> Void) throws(TraceProblem) {
        if !beginning.isEmpty || isTooLong { try lookAtBeginning(take) }
    }

    private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    private mutating func keep(_ part: UnsafeRawBufferPointer) {
        guard !part.isEmpty, !isTooLong else { return }
        // One more for a carriage return.
        if beginning.count + part.count > TraceLimits.lineBytesMax + 1 {
            isTooLong = true
            beginning = []
        } else {
            beginning.append(contentsOf: part)
        }
    }

    private mutating func lookAtBeginning(_ take: (TraceLine) -> Void) throws(TraceProblem) {
        let line = beginning
        let wasTooLong = isTooLong
        beginning.removeAll(keepingCapacity: true)
        isTooLong = false
        if wasTooLong {
            lineCount += 1
            return try note(.tooLong)
        }
        try line.withUnsafeBufferPointer { (bytes) throws(TraceProblem) in
            try look(at: UnsafeRawBufferPointer(bytes), take)
        }
    }

    private mutating func look(
        at line: UnsafeRawBufferPointer, _ take: (TraceLine) -> Void
    ) throws(TraceProblem) {
        lineCount += 1
        let hasReturn = line.last == 0x0D
        let line = hasReturn ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
        do throws(TraceFault) {
            take(try TraceLine(line))
        } catch {
            if line.count <= TraceLimits.lineBytesMax, TraceLine.isBlank(line) { return }
            if lineCount == 1, TraceLine.isHeader(line) { return }
            try note(error)
        }
    }

    private mutating func note(_ fault: TraceFault) throws(TraceProblem) {
        let problem = TraceProblem(line: lineCount, fault: fault)
        guard skipsMalformed else { throw problem }
        skippedCount += 1
        if firstSkipped == nil { firstSkipped = problem }
    }
}
