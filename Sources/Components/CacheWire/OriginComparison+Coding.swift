package import ByteCoding
package import CacheModel

/// Bytes of a COMPARISON:
///
///     body: verdict 1, state 1, options 1 (1 a value is served, 2 the origin has one, 4 unfenced),
///           failure 1, took 4, applied 12, fill 12, age 8,
///           then the node's value, and the origin's: value bytes 4, etag bytes 1, reserved 3,
///               digest 8, version 8, etag
extension OriginComparison {
    private enum Option {
        static let shown: UInt8 = 1
        static let origin: UInt8 = 2
        static let unfenced: UInt8 = 4
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        precondition((failure != nil) == (verdict == .failed), "a failure has a cause")
        let message = MessageWriter(.comparison, requestID: requestID, into: &writer)
        var options: UInt8 = 0
        if shown != nil { options |= Option.shown }
        if origin != nil { options |= Option.origin }
        if isUnfenced { options |= Option.unfenced }
        writer.append(verdict.rawValue)
        writer.append(state.rawValue)
        writer.append(options)
        writer.append(failure?.rawValue ?? 0)
        writer.append(UInt32(clamping: took.wholeMilliseconds))
        writer.append(applied)
        writer.append(filled ?? .none)
        writer.append(UInt64(clamping: age.wholeMilliseconds))
        for side in [shown, origin] {
            (side ?? ValueImprint(valueBytes: 0, digest: 0)).encode(into: &writer)
        }
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        let unknown: StaticString = "the verdict or state of a comparison is not known"
        let verdict: Verdict = try reader.known(or: unknown)
        let state: NodeState = try reader.known(or: unknown)
        let options = try reader.next(UInt8.self)
        guard options & ~(Option.shown | Option.origin | Option.unfenced) == 0,
            options == 0 || verdict.isComparison
        else { throw .reserved }
        let cause = try reader.next(UInt8.self)
        guard (cause != 0) == (verdict == .failed) else {
            throw WireRefusal(.malformed, "a comparison has a cause if it has failed")
        }
        let took = try reader.next(UInt32.self)
        self.init(verdict, state, applied: try reader.position())
        // A later release may know more causes.
        failure = cause == 0 ? nil : LoadFailure(rawValue: cause) ?? .unavailable
        self.took = .milliseconds(Int64(took))
        isUnfenced = options & Option.unfenced != 0
        let fill = try reader.position()
        filled = fill == .none ? nil : fill
        age = .milliseconds(Int64(clamping: try reader.next(UInt64.self)))
        let shown = try ValueImprint(decoding: &reader)
        let origin = try ValueImprint(decoding: &reader)
        self.shown = options & Option.shown != 0 ? shown : nil
        self.origin = options & Option.origin != 0 ? origin : nil
        try reader.expectEnd()
    }
}

extension ValueImprint {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(UInt32(clamping: valueBytes))
        writer.append(UInt8(etag?.bytes.count ?? 0))
        writer.append(UInt8(0))
        writer.append(UInt16(0))
        writer.append(digest)
        writer.append(version.rawValue)
        if let etag { writer.append(etag.bytes) }
    }

    fileprivate init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let valueBytes = Int(try reader.next(UInt32.self))
        let etagBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(3)
        let digest = try reader.next(UInt64.self)
        let version = Version(try reader.next(UInt64.self))
        let etag = try reader.take(etagBytes)
        self.init(
            valueBytes: valueBytes, digest: digest, version: version,
            etag: etag.isEmpty ? nil : Validator(bytes: [UInt8](etag)))
    }
}
