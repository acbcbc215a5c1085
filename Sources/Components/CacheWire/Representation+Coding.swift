package import ByteCoding
package import CacheModel

/// The field ids of a representation in a list of fields.
///
/// The encoding's id is critical where values are sent: a release that does not know it would
/// return the bytes as if they were not encoded.
package enum RepresentationFields {
    package static let inSet: (type: UInt8, encoding: UInt8, language: UInt8) = (0x06, 0x87, 0x08)
    package static let inResult: (type: UInt8, encoding: UInt8, language: UInt8) =
        (0x0A, 0x8B, 0x0C)
    /// In EXPLANATION's header.
    package static let inHeader: (type: UInt8, encoding: UInt8, language: UInt8) =
        (0x14, 0x15, 0x16)

    package static let problem: StaticString =
        "a content type, encoding or language has 1 to 255 bytes of visible ASCII and blanks"

    /// Reads them from a list of fields with checked lengths. Illegal values are left out.
    package static func read(
        _ fields: UnsafeRawBufferPointer,
        by ids: (type: UInt8, encoding: UInt8, language: UInt8)
    ) -> Representation {
        var representation = Representation()
        var offset = 0
        while offset + 2 <= fields.count {
            let end = min(offset + 2 + Int(fields[offset + 1]), fields.count)
            let bytes = fields[(offset + 2)..<end]
            switch fields[offset] {
            case ids.type: representation.contentType = field(bytes)
            case ids.encoding: representation.contentEncoding = field(bytes)
            case ids.language: representation.contentLanguage = field(bytes)
            default: break
            }
            offset = end
        }
        return representation
    }

    private static func field(_ bytes: Slice<UnsafeRawBufferPointer>) -> RepresentationField? {
        RepresentationField.isLegal(bytes)
            ? RepresentationField(String(decoding: bytes, as: UTF8.self)) : nil
    }

    /// Appends a field for each part that is present.
    package static func append(
        _ representation: Representation,
        by ids: (type: UInt8, encoding: UInt8, language: UInt8), to writer: inout ByteWriter
    ) {
        let fields = [
            (ids.type, representation.contentType), (ids.encoding, representation.contentEncoding),
            (ids.language, representation.contentLanguage),
        ]
        for case (let id, let field?) in fields {
            writer.append(id)
            writer.append(shortBytes: Array(field.text.utf8))
        }
    }

    /// The same from the stored form of an entry; nothing if that is empty.
    package static func append(
        stored: UnsafeRawBufferPointer,
        by ids: (type: UInt8, encoding: UInt8, language: UInt8), to writer: inout ByteWriter
    ) {
        guard !stored.isEmpty, let representation = Representation(stored: stored) else { return }
        append(representation, by: ids, to: &writer)
    }
}
