/// Every bound of reading an answer.
///
/// Names, values, tags and validators are bounded by their own types; how many fields an answer
/// has, and how long they are, by who receives it. Reading is linear in their bytes.
enum AnswerLimits {
    /// Seconds. A longer lifetime, age, window or wait counts as this, about 68 years: the number
    /// that RFC 9111, 1.2.2, names for what is too large to be counted.
    static let secondsMax: Int64 = 1 << 31
    /// Bytes in the name of a directive that is looked up. A longer one is nobody's.
    static let directiveNameBytesMax = 32
    /// Years that a date with a two-digit year may lie ahead: RFC 9110, 5.6.7.
    static let yearsAheadMax = 50
}
