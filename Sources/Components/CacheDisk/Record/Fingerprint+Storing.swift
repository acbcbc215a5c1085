extension Fingerprint {
    /// The fingerprint of a reset, which has no key.
    package static let zero = Fingerprint(rawValue: 0)

    /// `nil` for an invalid fingerprint, as in a damaged file.
    init?(stored: UInt64) {
        guard stored >> Self.bitCount == 0 else { return nil }
        self.init(rawValue: stored)
    }
}
