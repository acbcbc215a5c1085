package import ByteCoding
package import CacheModel

/// The field TRACE: form 1 (0), trace 16, span 8, flags 1, and the rest is the state. Ids are
/// encoded like their digits, first byte first.
extension TraceContext {
    fileprivate static let form: UInt8 = 0
    fileprivate static let fixedBytes = 26

    /// - Returns: `nil` for another form, which is ignored.
    init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fixedBytes, bytes[0] == Self.form else { return nil }
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        let state = String(decoding: bytes[Self.fixedBytes...], as: UTF8.self)
        self.init(high: word(1), low: word(9), span: word(17), flags: bytes[25], state: state)
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(Self.form)
        writer.append(high.byteSwapped)
        writer.append(low.byteSwapped)
        writer.append(span.byteSwapped)
        writer.append(flags)
        writer.append(Array(state.utf8))
    }
}

extension MessageFields {
    /// ``trace`` decoded; `nil` if there is none, or its form is unknown.
    package var traceContext: TraceContext? {
        trace.flatMap { TraceContext(decoding: $0) }
    }
}

extension MessageWriter {
    /// Adds the trace's field, if there is one.
    package mutating func field(_ trace: TraceContext?, into writer: inout ByteWriter) {
        guard let trace else { return }
        var value = ByteWriter(capacityBytes: WireLimits.traceBytesMax)
        trace.encode(into: &value)
        field(MessageFields.ID.trace, value.bytes, into: &writer)
    }
}

extension MessageFields {
    /// ``issuer`` decoded; `nil` if there is none.
    package var issuerName: Issuer? {
        issuer.flatMap { Issuer(String(decoding: $0, as: UTF8.self)) }
    }
}

extension MessageWriter {
    /// Adds the issuer's field, if there is one.
    package mutating func field(_ issuer: Issuer?, into writer: inout ByteWriter) {
        guard var name = issuer?.name else { return }
        name.withUTF8 {
            field(MessageFields.ID.issuer, UnsafeRawBufferPointer($0), into: &writer)
        }
    }
}

extension ReadPolicy {
    /// Its number on the wire.
    package var number: UInt8 {
        switch self {
        case .cacheFirst: 1
        case .cacheOnly: 2
        case .networkFirst: 3
        case .networkOnly: 4
        case .staleWhileRevalidate: 5
        }
    }

    /// - Returns: `nil` if this version does not know the number.
    package init?(number: UInt8) {
        guard let policy = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = policy
    }
}
