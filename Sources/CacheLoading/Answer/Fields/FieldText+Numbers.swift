extension FieldText {
    /// The number that it is: one or more digits, nothing else. `nil` also if 64 bits do not hold
    /// it.
    var wholeNumber: UInt64? {
        guard !isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard byte.isDigit else { return nil }
            let (scaled, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = scaled.addingReportingOverflow(UInt64(byte & 0x0F))
            if isTooLarge || isStillTooLarge { return nil }
            number = sum
        }
        return number
    }

    /// The seconds that it counts (`delta-seconds`), cut to ``AnswerLimits/secondsMax``; `nil` if
    /// it is anything but one or more digits.
    var seconds: Duration? {
        guard !isEmpty, bytes.allSatisfy(\.isDigit) else { return nil }
        let counted = wholeNumber.map { Int64(clamping: $0) } ?? .max
        return .seconds(min(counted, AnswerLimits.secondsMax))
    }
}
