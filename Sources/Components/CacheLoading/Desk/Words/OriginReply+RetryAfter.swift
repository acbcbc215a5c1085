import CacheModel

extension OriginReply {
    /// The retry-after of the origin, from its first Retry-After field [1]; `nil`: it states none,
    /// or states a date, which no monotonic clock can read. At most a day.
    ///
    /// [1] RFC 9110, 10.2.3.
    package var retryAfter: Duration? {
        guard let field = fields.first(where: { Self.isRetryAfter($0.name) }) else { return nil }
        let text = field.value.utf8.drop(while: Self.isBlank)
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty, text.dropFirst(digits.count).allSatisfy(Self.isBlank) else {
            return nil
        }
        let secondsMax = DeskLimits.retryAfterMax.components.seconds
        let seconds = digits.reduce(Int64(0)) { sum, digit in
            min(secondsMax, sum * 10 + Int64(digit - UInt8(ascii: "0")))
        }
        return .seconds(seconds)
    }

    private static func isRetryAfter(_ name: String) -> Bool {
        let wanted = "retry-after".utf8
        return name.utf8.count == wanted.count
            && zip(name.utf8, wanted).allSatisfy { byte, other in
                // Upper- and lower-case letters differ only in this bit.
                byte == other || (other != UInt8(ascii: "-") && byte | 0x20 == other)
            }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
