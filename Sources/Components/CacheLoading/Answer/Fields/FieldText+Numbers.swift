extension FieldText {
    /// The text as a number: one or more digits and nothing else; `nil` otherwise, or if it exceeds
    /// 64 bits.
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

    /// The text as seconds (`delta-seconds`), limited to ``AnswerLimits/secondsMax``; `nil` if it
    /// is anything but one or more digits.
    var seconds: Duration? {
        guard !isEmpty, bytes.allSatisfy(\.isDigit) else { return nil }
        let counted = wholeNumber.map { Int64(clamping: $0) } ?? .max
        return .seconds(min(counted, AnswerLimits.secondsMax))
    }
}
