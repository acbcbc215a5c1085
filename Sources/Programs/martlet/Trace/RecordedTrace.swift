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
