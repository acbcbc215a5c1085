package import ByteCoding
package import CacheModel

extension OperationID {
    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        let high = try reader.next(UInt64.self)
        self.init(high: high, low: try reader.next(UInt64.self))
    }
}
