/// A decimal number such as `-12.5e3`, kept exactly: its digits and its exponent.
struct DecimalNumber {
    private var isNegative = false
    /// Without leading zeros, and without a point.
    private var digits: [UInt8] = []
    /// The power of ten to multiply the digits by.
    private var exponent = 0

    /// Longest accepted text.
    private static let bytesMax = 64

    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count <= Self.bytesMax else { return nil }
        var rest = text[...]
        isNegative = Self.takeSign(&rest)
        var seen = Self.takeDigits(&rest, &digits)
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            let parts = Self.takeDigits(&rest, &digits)
            exponent -= parts
            seen += parts
        }
        guard seen > 0 else { return nil }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            guard let power = Self.takeExponent(&rest) else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
    }

    /// The number times ten to the power of `power`, truncated to a whole number.
    ///
    /// - Returns: `nil` if that does not fit.
    func scaled(byTenTo power: Int) -> Int64? {
        let shift = exponent + power
        let kept = shift < 0 ? digits.dropLast(min(-shift, digits.count)) : digits[...]
        let zeros = digits.allSatisfy { $0 == 0 } ? 0 : max(shift, 0)
        guard zeros <= 19 else { return nil }
        var whole: Int64 = 0
        for digit in kept + Array(repeating: 0, count: zeros) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = product.addingReportingOverflow(Int64(digit))
            if overflow || overflow2 { return nil }
            whole = sum
        }
        return isNegative ? -whole : whole
    }

    private static func takeSign(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
            return false
        }
        rest = rest.dropFirst()
        return sign == UInt8(ascii: "-")
    }

    private static func takeDigits(
        _ rest: inout Slice<UnsafeRawBufferPointer>, _ digits: inout [UInt8]
    ) -> Int {
        let run = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
        digits.append(contentsOf: run.lazy.map { $0 - UInt8(ascii: "0") })
        rest = rest.dropFirst(run.count)
        return run.count
    }

    /// - Returns: `nil` if there is none, or one of more than three digits.
    private static func takeExponent(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int? {
        let isNegative = takeSign(&rest)
        var digits: [UInt8] = []
        guard (1...3).contains(takeDigits(&rest, &digits)) else { return nil }
        let power = digits.reduce(0) { $0 * 10 + Int($1) }
        return isNegative ? -power : power
    }
}
