/// Natural order of names: `n2` before `n10`.
enum NodeNameOrder {
    static func isBefore(_ left: String, _ right: String) -> Bool {
        var (one, other) = (Array(left.utf8)[...], Array(right.utf8)[...])
        while let first = one.first, let second = other.first {
            if isDigit(first), isDigit(second) {
                let (number, number2) = (digits(&one), digits(&other))
                if number.count != number2.count { return number.count < number2.count }
                if number != number2 { return number.lexicographicallyPrecedes(number2) }
            } else if first != second {
                return first < second
            } else {
                one.removeFirst()
                other.removeFirst()
            }
        }
        return one.isEmpty && other.isEmpty ? left < right : one.isEmpty
    }

    /// Removes a number from the beginning, and returns it without leading zeros.
    private static func digits(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let number = text.prefix(while: isDigit)
        text = text.dropFirst(number.count)
        return number.drop { $0 == 0x30 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
