/// The segment being emptied.
struct Reclaim {
    let segment: SegmentNumber
    /// Whether every visible entry in it is re-appended, used or not.
    let keepsAll: Bool
    /// `nil` until it is read.
    var footer: [UInt8]?
    var recordCount = 0
    /// The next entry of the footer.
    var cursor = 0
    /// Whether a piece of the segment is being read, to re-append its records.
    var isReading = false
    /// Bytes that the next re-append waits for; 0 for none.
    var roomAwaited = 0
    /// Values in parts being reassembled, to be stored again.
    var movesInFlight = 0
    /// Re-appended bytes, rounded up to length classes.
    var movedBytes = 0
    /// The fingerprint of the value in parts that was last inspected.
    var divided: Fingerprint?
    /// Fingerprints of the values being reassembled, to be stored again.
    var assembling: Set<Fingerprint> = []
}
