package import CacheModel
import ByteCoding
import CacheWire

/// A fill token in its received form, to be sent with the value that it was given for.
package struct PipelinedToken: Hashable, Sendable {
    package let token: FillToken
    /// Counted from the sending of the request.
    package let validMilliseconds: UInt32

    /// Looks for a token among the fields of a result.
    ///
    /// - Returns: `nil` if there is none, or the fields cannot be read.
    init?(inFields fields: UnsafeRawBufferPointer) {
        do throws(WireRefusal) {
            var reader = ByteReader(fields)
            while !reader.isAtEnd {
                let id = try reader.next(UInt8.self)
                let bytes = try reader.take(Int(try reader.next(UInt8.self)))
                guard id == OperationResult.FieldID.token else { continue }
                var value = ByteReader(bytes)
                validMilliseconds = try FillToken.validMilliseconds(in: value)
                token = try FillToken(decoding: &value)
                return
            }
        } catch {
            // An unreadable field is no token: the value is not stored.
        }
        return nil
    }
}
