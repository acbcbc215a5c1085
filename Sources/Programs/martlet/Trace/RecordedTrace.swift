import ByteCoding

/// A trace in memory, ready to be replayed any number of times: 8 bytes a request, and each
/// different key once.
struct RecordedTrace: Sendable {
    struct Request: Sendable {
        /// As ``TraceKeys`` counts.
        let key: UInt32
        let size: UInt32
    }

    /// In pieces, so that no growing array is ever copied.
    fileprivate(set) var pieces: [[Request]] = []
    fileprivate(set) var keys = TraceKeys()
    fileprivate(set) var requestCount = 0
    /// Bytes asked for, in all requests together.
    fileprivate(set) var byteCount = 0
    /// The sum of each key's largest size.
    fileprivate(set) var footprintBytes = 0
    /// Malformed lines that were passed over.
    var skippedCount = 0
    var firstSkipped: TraceProblem?

    /// What a cache would hold that never lets anything go.
    func footprint(in unit: TraceUnit) -> Int {
        switch unit {
        case .objects: keys.count
        case .bytes: footprintBytes
        }
    }
}

/// Takes requests one by one, and makes a trace of them.
struct TraceRecorder {
    private static let pieceCount = 1 << 18

    private var trace = RecordedTrace()
    private var piece: [RecordedTrace.Request] = []
    /// The largest size of each key so far.
    private var largest: [UInt32] = []

    var requestCount: Int { trace.requestCount }

    mutating func add(_ line: TraceLine) {
        let key = trace.keys.number(of: line.key)
        if Int(key) == largest.count { largest.append(0) }
        if line.size > largest[Int(key)] {
            trace.footprintBytes += Int(line.size - largest[Int(key)])
            largest[Int(key)] = line.size
        }
        trace.requestCount += 1
        trace.byteCount += Int(line.size)
        if piece.count == Self.pieceCount { putAway() }
        piece.append(.init(key: key, size: line.size))
    }

    /// The trace, once. There are no further requests.
    mutating func finish() -> RecordedTrace {
        putAway()
        trace.keys.close()
        return trace
    }

    private mutating func putAway() {
        if !piece.isEmpty { trace.pieces.append(piece) }
        piece = []
        piece.reserveCapacity(Self.pieceCount)
    }
}

/// The different keys of a trace, numbered in the order of their first request.
///
/// A key takes its bytes, 8 for where they end, and 11 to 22 in the table of the search, which goes
/// when the trace is read.
///
/// - Complexity: O(bytes of the key) for a search, amortised.
struct TraceKeys: Sendable {
    /// Every key's bytes, one after the other.
    private(set) var bytes: [UInt8] = []
    /// Where each key's bytes begin, and at last where the next one's will.
    private(set) var bounds = [0]
    /// 0 for none; else half of the key's hash, and its number plus one.
    private var slots = [UInt64](repeating: 0, count: 1_024)
    private let hasher = KeyHasher(seed: .random(in: .min ... .max))

    var count: Int { bounds.count - 1 }

    /// The number of `key`, which is new if it equals ``count`` before the call.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt32 {
        let hash = hasher.hash(key, room: 0) >> 32
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = UInt32(truncatingIfNeeded: slots[slot]) - 1
            if slots[slot] >> 32 == hash, holds(key, at: Int(number)) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        let number = UInt32(count)
        slots[slot] = hash << 32 | UInt64(number + 1)
        bytes.append(contentsOf: key)
        bounds.append(bytes.count)
        if count > slots.count / 4 * 3 { grow() }
        return number
    }

    /// Lets go of what only ``number(of:)`` needs, which must not be called any more.
    mutating func close() { slots = [] }

    private func holds(_ key: UnsafeRawBufferPointer, at number: Int) -> Bool {
        bytes.withUnsafeBytes { $0[bounds[number]..<bounds[number + 1]].elementsEqual(key) }
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: slots.count * 2)
        for entry in slots where entry != 0 {
            var slot = Int(truncatingIfNeeded: entry >> 32) & (larger.count - 1)
            while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
            larger[slot] = entry
        }
        slots = larger
    }
}
