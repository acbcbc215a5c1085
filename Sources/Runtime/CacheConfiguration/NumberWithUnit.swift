/// A whole number and the letters after it: `64MiB`, `250ms`.
struct NumberWithUnit {
    let number: UInt64
    /// Empty if there is none.
    let unit: String

    /// - Returns: `nil` unless `text` is digits, then ASCII letters, and the number fits.
    init?(_ text: String) {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let letters = text.utf8.dropFirst(digits.count)
        guard letters.allSatisfy(Self.isLetter), let number = UInt64(Substring(digits)) else {
            return nil
        }
        self.number = number
        unit = String(Substring(letters))
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// The number in the smallest unit, of which the one written is worth `scale`.
    ///
    /// - Returns: `nil` if that does not fit.
    func scaled(by scale: UInt64) -> Int64? {
        let (product, overflow) = number.multipliedReportingOverflow(by: scale)
        return overflow ? nil : Int64(exactly: product)
    }
}
