/// A whole number as JSON may write it, with its every digit: `43`, `43.0`, `4.3e1`. A `Double` in
/// between would round what is greater than 2^53.
enum WholeNumber {
    /// A sign and a magnitude; zero has no sign.
    struct Parts: Equatable {
        var isNegative: Bool
        var magnitude: UInt64
    }

    /// Reads the text of a number, which has to be one by JSON's grammar.
    ///
    /// - Returns: `nil` if it is not whole, or its magnitude is 2^64 or more.
    /// - Complexity: O(length of the text).
    static func parts(of text: Substring) -> Parts? {
        let isNegative = text.hasPrefix("-")
        let halves = text.drop { $0 == "-" }.split(omittingEmptySubsequences: false) {
            $0 == "e" || $0 == "E"
        }
        let mantissa = halves[0].split(separator: ".")
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        var digits = Array((mantissa[0] + fraction).utf8.drop { $0 == UInt8(ascii: "0") })
        guard !digits.isEmpty else { return Parts(isNegative: false, magnitude: 0) }
        guard let exponent = halves.count > 1 ? Int(halves[1]) : 0,
            // Beyond these, no text that fits in memory is a whole number of 64 bits.
            (-1_000_000_000...1_000_000_000).contains(exponent)
        else { return nil }
        var zeros = exponent - fraction.utf8.count
        while zeros < 0, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            zeros += 1
        }
        guard (0..<20).contains(zeros), digits.count + zeros <= 20 else { return nil }
        digits += Array(repeating: UInt8(ascii: "0"), count: zeros)
        return UInt64(String(decoding: digits, as: UTF8.self)).map {
            Parts(isNegative: isNegative, magnitude: $0)
        }
    }
}
