package import ByteCoding
import CacheModel

/// Bytes of an EXPLANATION:
///
///     body: verdict 1, state 1, options 1 (1 an entry, 2 unfenced, 4 soft), reserved 1,
///           lease left 4, load left 4, applied 12, token base 12,
///           where there is an entry: value bytes 4, charged bytes 4, version 8, age 8, ttl 8,
///               soft age 8, fill 12, etag bytes 1, tags 1, etag, then each tag: bytes 1, tag
///           floors: cover 1, options 1 (1 above the entry), name bytes 2, hard 12, soft 12,
///               minimum version 8, name
///     fields: 14 content type · 15 content encoding · 16 content language of the entry
extension Explanation {
    private enum Option {
        static let entry: UInt8 = 1
        static let unfenced: UInt8 = 2
        static let soft: UInt8 = 4
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.explanation, requestID: requestID, into: &writer)
        if let entry { message.fields(of: entry.representation, into: &writer) }
        var options: UInt8 = 0
        if let entry {
            options |= Option.entry
            if entry.isUnfenced { options |= Option.unfenced }
            if entry.softMilliseconds != nil { options |= Option.soft }
        }
        writer.append(verdict.rawValue)
        writer.append(state.rawValue)
        writer.append(options)
        writer.append(UInt8(0))
        writer.append(leaseLeftMilliseconds)
        writer.append(loadLeftMilliseconds)
        writer.append(applied)
        writer.append(tokenBase)
        entry?.encode(into: &writer)
        for floor in floors { floor.encode(into: &writer) }
        message.finish(&writer, count: floors.count)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        let unknown: StaticString = "the verdict or state of an explanation is not known"
        let verdict: Verdict = try reader.known(or: unknown)
        let state: NodeState = try reader.known(or: unknown)
        let options = try reader.next(UInt8.self)
        guard options & ~(Option.entry | Option.unfenced | Option.soft) == 0 else {
            throw .reserved
        }
        try reader.reserved(1)
        let (leaseLeft, loadLeft) = (try reader.next(UInt32.self), try reader.next(UInt32.self))
        self.init(verdict, state, applied: try reader.position())
        leaseLeftMilliseconds = leaseLeft
        loadLeftMilliseconds = loadLeft
        tokenBase = try reader.position()
        if options & Option.entry != 0 {
            entry = try Entry(
                decoding: &reader, isSoft: options & Option.soft != 0,
                isUnfenced: options & Option.unfenced != 0)
            entry?.representation = RepresentationFields.read(
                message.fields.described, by: RepresentationFields.inHeader)
        }
        for _ in 0..<message.count { floors.append(try Floor(decoding: &reader)) }
        try reader.expectEnd()
    }
}

extension Explanation.Entry {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(valueBytes)
        writer.append(chargedBytes)
        writer.append(version.rawValue)
        writer.append(ageMilliseconds)
        writer.append(ttlMilliseconds ?? .max)
        writer.append(softMilliseconds ?? 0)
        writer.append(fill)
        writer.append(UInt8(etag?.bytes.count ?? 0))
        writer.append(UInt8(tags.count))
        if let etag { writer.append(etag.bytes) }
        for tag in tags { writer.append(shortBytes: tag.bytes) }
    }

    fileprivate init(
        decoding reader: inout ByteReader, isSoft: Bool, isUnfenced: Bool
    ) throws(WireRefusal) {
        self.init()
        self.isUnfenced = isUnfenced
        valueBytes = try reader.next(UInt32.self)
        chargedBytes = try reader.next(UInt32.self)
        version = Version(try reader.next(UInt64.self))
        ageMilliseconds = try reader.next(UInt64.self)
        let ttl = try reader.next(UInt64.self)
        ttlMilliseconds = ttl == .max ? nil : ttl
        let softAge = try reader.next(UInt64.self)
        softMilliseconds = isSoft ? softAge : nil
        fill = try reader.position()
        let etagBytes = Int(try reader.next(UInt8.self))
        let tagCount = try reader.next(UInt8.self)
        if etagBytes > 0 { etag = Validator(bytes: [UInt8](try reader.take(etagBytes))) }
        for _ in 0..<tagCount {
            let bytes = try reader.take(Int(try reader.next(UInt8.self)))
            guard let tag = Tag(bytes: [UInt8](bytes)) else {
                throw WireRefusal(.outOfRange, "a tag has 1 to 255 bytes")
            }
            tags.append(tag)
        }
    }
}

extension Explanation.Floor {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(cover.rawValue)
        writer.append(UInt8(isAboveEntry ? 1 : 0))
        writer.append(UInt16(name.count))
        writer.append(hard)
        writer.append(soft)
        writer.append(minimumVersion.rawValue)
        writer.append(name)
    }

    fileprivate init(decoding reader: inout ByteReader) throws(WireRefusal) {
        self.init(try reader.known(or: "what a floor covers is not known"))
        isAboveEntry = try reader.flag()
        let nameBytes = Int(try reader.next(UInt16.self))
        hard = try reader.position()
        soft = try reader.position()
        minimumVersion = Version(try reader.next(UInt64.self))
        name = [UInt8](try reader.take(nameBytes))
    }
}
