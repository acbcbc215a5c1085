/// Whole numbers as fields and strings write them.
enum DigitText {
    /// Above zero, in digits alone and without zeros before them; `nil` for anything else.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return UInt64(text)
    }
}
