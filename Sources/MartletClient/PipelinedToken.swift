package import CacheModel
import ByteCoding
import CacheWire

/// A fill token as it came, to be handed back with the value that it was given for.
package struct PipelinedToken: Hashable, Sendable {
    package let token: FillToken
    /// Counted from when the request was sent.
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
            // What cannot be read is no token: the value is not stored.
        }
        return nil
    }
}
