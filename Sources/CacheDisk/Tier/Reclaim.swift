/// The segment that is being emptied.
struct Reclaim {
    let segment: SegmentNumber
    /// `nil` until it is read.
    var footer: [UInt8]?
    var recordCount = 0
    /// The next entry to be looked at.
    var cursor = 0
    /// Records that are being read, to be appended again.
    var movesInFlight = 0
    /// Bytes that were appended again.
    var movedBytes = 0
    /// Whose value in parts was looked at last.
    var divided: Fingerprint?
    /// Whose values are being put together, to be stored again.
    var assembling: Set<Fingerprint> = []
}
