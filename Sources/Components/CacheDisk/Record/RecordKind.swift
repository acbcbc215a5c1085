/// The kind of a record. The raw values are part of the disk format.
package enum RecordKind: UInt8, Sendable {
    /// A key has this value.
    case entry = 1
    /// A fingerprint has no value.
    case tombstone = 2
    /// All earlier records are void.
    case reset = 3
    /// A part of a value that is too long for one record. A later entry may list it.
    case part = 4
    /// A key has a value in parts; this record lists them.
    case divided = 5
}
