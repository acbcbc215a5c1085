package import ByteCoding
package import CacheModel

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
