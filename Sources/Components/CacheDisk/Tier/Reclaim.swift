/// The segment that is being emptied.
struct Reclaim {
    let segment: SegmentNumber
    /// Whether everything in it that is still shown is appended again, used or not.
    let keepsAll: Bool
    /// `nil` until it is read.
    var footer: [UInt8]?
    var recordCount = 0
    /// The next entry to be looked at.
    var cursor = 0
    /// Whether a piece of the segment is being read, whose records are appended again.
    var isReading = false
    /// What the next record to be appended again waits for; 0 if for nothing.
    var roomAwaited = 0
    /// Values in parts that are being put together, to be stored again.
    var movesInFlight = 0
    /// Bytes that were appended again, rounded up to length classes.
    var movedBytes = 0
    /// Whose value in parts was looked at last.
    var divided: Fingerprint?
    /// Whose values are being put together, to be stored again.
    var assembling: Set<Fingerprint> = []
}
