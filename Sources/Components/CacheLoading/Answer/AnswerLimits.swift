/// Bounds for reading an answer.
///
/// Names, values, tags and validators are bounded by their own types. The receiver of the answer
/// bounds the number and the length of its fields. Reading is linear in their bytes.
enum AnswerLimits {
    /// Seconds. A longer lifetime, age, window or wait counts as this, about 68 years: RFC 9111,
    /// 1.2.2, names this number for values that are too large.
    static let secondsMax: Int64 = 1 << 31
    /// Bytes in the name of a directive that is looked up. A longer name matches no directive.
    static let directiveNameBytesMax = 32
    /// Years that a date with a two-digit year may lie ahead: RFC 9110, 5.6.7.
    static let yearsAheadMax = 50
}
