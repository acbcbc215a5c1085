import ByteCoding
package import CacheModel

extension SealedRecord {
    /// Restores a record that this process has sealed or decoded before.
    ///
    /// - Precondition: these are its bytes.
    @Sendable
    package static func kept(_ bytes: UnsafeRawBufferPointer) -> SealedRecord {
        var reader = ByteReader(bytes)
        do throws(WireRefusal) {
            return try SealedRecord(decoding: &reader)
        } catch {
            preconditionFailure("what was sealed can be decoded: \(error)")
        }
    }
}
