/// What a record states. The raw values lie on disk.
package enum RecordKind: UInt8, Sendable {
    /// A key has this value.
    case entry = 1
    /// A fingerprint has no value.
    case tombstone = 2
    /// Nothing before it is anything.
    case reset = 3
    /// A part of a value that is too long for one record. An entry behind it may list it.
    case part = 4
    /// A key has a value that lies in parts; this record lists them.
    case divided = 5
}
