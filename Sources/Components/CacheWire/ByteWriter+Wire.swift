package import ByteCoding
package import CacheModel

extension ByteWriter {
    /// Bytes after one byte of length.
    package mutating func append(shortBytes bytes: [UInt8]) {
        append(UInt8(bytes.count))
        append(bytes)
    }

    /// A text after one byte of length; a longer text is cut.
    package mutating func append(shortText text: String) {
        append(shortBytes: Array(text.utf8.prefix(Int(UInt8.max))))
    }

    package mutating func append(_ operation: OperationID) {
        append(operation.high)
        append(operation.low)
    }

    package mutating func append(_ mark: LogMark) {
        append(mark.position.epoch.rawValue)
        append(UInt32(0))
        append(mark.position.sequence.rawValue)
        append(mark.digest.rawValue)
    }

    package mutating func append(_ position: LogPosition) {
        append(position.epoch.rawValue)
        append(position.sequence.rawValue)
    }
}
