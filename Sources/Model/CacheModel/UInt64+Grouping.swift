extension UInt64 {
    /// 1234567 as 1 234 567.
    package func grouped(separator: String = " ") -> String {
        let digits = Array(String(self))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0 && (digits.count - index) % 3 == 0 { text += separator }
            text.append(digits[index])
        }
    }
}
