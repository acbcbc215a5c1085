import ByteCoding
package import CacheModel

extension SealedRecord {
    /// Whether a record's bytes have the form that this release writes, by their structure: names
    /// are not checked.
    ///
    /// - Complexity: O(scopes), without an allocation; of a record of slots O(bytes).
    package static func isOfKnownForm(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(bytes)
        do throws(WireRefusal) {
            _ = try reader.take(40)
            let _: InvalidationRecord.Strength = try reader.known(or: "no strength")
            try reader.reserved(1)
            let count = try reader.next(UInt16.self)
            try reader.reserved(4)
            if count == 1, try SlotRecord(aheadIn: &reader) != nil {
                try reader.expectEnd()
                return true
            }
            for _ in 0..<count { try Scope.skip(&reader) }
            try reader.expectEnd()
            return count > 0
        } catch {
            return false
        }
    }
}

extension Scope {
    /// Skips the next scope, if its kind and options are known.
    fileprivate static func skip(_ reader: inout ByteReader) throws(WireRefusal) {
        let _: ScopeKind = try reader.known(or: "the kind of a scope is not known")
        let options = try reader.next(UInt8.self)
        guard options & ~7 == 0 else { throw .reserved }
        let namespaceBytes = Int(try reader.next(UInt8.self))
        try reader.reserved(1)
        let nameBytes = Int(try reader.next(UInt16.self))
        try reader.reserved(2)
        let optionBytes = (options & 1 == 0 ? 0 : 8) + (options & 2 == 0 ? 0 : 16)
        _ = try reader.take(optionBytes + namespaceBytes + nameBytes)
    }
}
