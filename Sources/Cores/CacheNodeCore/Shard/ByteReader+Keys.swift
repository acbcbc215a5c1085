import ByteCoding
import CacheModel
import CacheWire

extension ByteReader {
    /// Reads one operation of a GET, SET, DELETE or TOUCH.
    ///
    /// - Parameter tags: storage for the tags of a store; replaced.
    /// - Returns: its key, in the bytes that are read.
    mutating func nextKey(
        of type: MessageType, tags: inout [UnsafeRawBufferPointer]
    ) throws(WireRefusal) -> UnsafeRawBufferPointer {
        switch type {
        case .get: return try GetOperation(decoding: &self).key
        case .delete: return try DeleteOperation(decoding: &self).key
        case .touch: return try TouchOperation(decoding: &self).key
        default:
            tags.removeAll(keepingCapacity: true)
            return try SetOperation(decoding: &self, tags: &tags).key
        }
    }
}
