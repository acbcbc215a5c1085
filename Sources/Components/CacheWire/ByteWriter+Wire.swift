package import ByteCoding
package import CacheModel

extension ByteWriter {
    /// A text after one byte of length; a longer text is cut.
    package mutating func append(shortText text: String) {
        let bytes = Array(text.utf8.prefix(Int(UInt8.max)))
        append(UInt8(bytes.count))
        append(bytes)
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
