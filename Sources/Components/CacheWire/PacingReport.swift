package import ByteCoding
package import CacheModel

/// PACING REPORT: paced invalidations and their progress.
///
///     body: each: id 8, state 1, strength 1, options 1 (1 durable), reserved 1, span 4,
///           slices 4, done 4, left 4 (milliseconds), reserved 2, scopes 2, first position 12,
///           last position 12, scopes
public struct PacingReport: Hashable, Sendable {
    /// The state of a pacing. The numbers are on the wire.
    package enum State: UInt8, CaseIterable, Sendable {
        case running = 1
        /// Every slice is in the log.
        case over = 2
        case cancelled = 3
    }

    package struct Line: Hashable, Sendable {
        package var id: PacingID
        package var state: State
        package var strength: InvalidationRecord.Strength
        /// Whether it survives a restart of its publisher.
        package var isDurable: Bool
        package var spanMilliseconds: UInt32
        package var sliceCount: UInt32
        /// Slices in the log.
        package var doneCount: UInt32
        package var leftMilliseconds: UInt32 = 0
        /// Positions of the first and the newest slice; 0:0 before the first slice.
        package var first = LogPosition.none
        package var last = LogPosition.none
        package var scopes: [Scope]

        package init(
            _ id: PacingID, _ state: State, _ request: PaceRequest, isDurable: Bool,
            slices: (done: UInt32, all: UInt32)
        ) {
            self.id = id
            self.state = state
            self.isDurable = isDurable
            strength = request.strength
            spanMilliseconds = request.spanMilliseconds
            sliceCount = slices.all
            doneCount = slices.done
            scopes = request.scopes
        }
    }

    package var lines: [Line]

    package init(_ lines: [Line]) { self.lines = lines }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.pacingReport, requestID: requestID, into: &writer)
        for line in lines { line.encode(into: &writer) }
        message.finish(&writer, count: lines.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        lines = []
        for _ in 0..<message.count { lines.append(try Line(decoding: &reader)) }
        try reader.expectEnd()
    }
}

extension PacingReport.Line {
    package func encode(into writer: inout ByteWriter) {
        writer.append(id.rawValue)
        writer.append(state.rawValue)
        writer.append(strength.rawValue)
        writer.append(UInt8(isDurable ? 1 : 0))
        writer.append(UInt8(0))
        writer.append(spanMilliseconds)
        writer.append(sliceCount)
        writer.append(doneCount)
        writer.append(leftMilliseconds)
        writer.append(UInt16(0))
        writer.append(UInt16(scopes.count))
        writer.append(first)
        writer.append(last)
        for scope in scopes { scope.encode(into: &writer) }
    }

    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        id = PacingID(try reader.next(UInt64.self))
        state = try reader.known(or: "the state of a pacing, or its strength, is not known")
        strength = try reader.known(or: "the state of a pacing, or its strength, is not known")
        isDurable = try reader.flag()
        try reader.reserved(1)
        spanMilliseconds = try reader.next(UInt32.self)
        sliceCount = try reader.next(UInt32.self)
        doneCount = try reader.next(UInt32.self)
        leftMilliseconds = try reader.next(UInt32.self)
        try reader.reserved(2)
        let scopeCount = Int(try reader.next(UInt16.self))
        first = try reader.position()
        last = try reader.position()
        guard (1...WireLimits.pacedScopesMax).contains(scopeCount), doneCount <= sliceCount else {
            throw WireRefusal(
                .outOfRange, "one pacing has 1 to 16 scopes, and ends when all is done")
        }
        scopes = []
        for _ in 0..<scopeCount { scopes.append(try Scope(decoding: &reader)) }
    }
}
