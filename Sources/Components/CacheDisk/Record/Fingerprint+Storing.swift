extension Fingerprint {
    /// Of a reset, which has none.
    package static let zero = Fingerprint(rawValue: 0)

    /// `nil` for what no fingerprint is; a damaged file may say anything.
    init?(stored: UInt64) {
        guard stored >> Self.bitCount == 0 else { return nil }
        self.init(rawValue: stored)
    }
}
