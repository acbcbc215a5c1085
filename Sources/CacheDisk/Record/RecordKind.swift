/// What a record states. The raw values lie on disk.
package enum RecordKind: UInt8, Sendable {
    /// A key has this value.
    case entry = 1
    /// A fingerprint has no value.
    case tombstone = 2
    /// Nothing before it is anything.
    case reset = 3
}
