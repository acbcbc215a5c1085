import ByteCoding

/// The last word of an entry: until when it holds.
enum AccessDate {
    /// Seconds since 1970 from which on the entry does not hold: the end of a day, or a moment.
    static func end(_ word: Substring) throws(AccessListProblem.Reason) -> Int {
        let bytes = Array(word.utf8)
        let isDay = bytes.count == 10
        let shape = isDay ? "____-__-__" : "____-__-__T__:__:__Z"
        guard fits(bytes, shape) else { throw .date(AccessName.shown(word)) }
        func number(_ range: Range<Int>) -> Int {
            bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let time = CivilTime(
            year: number(0..<4), month: number(5..<7), day: number(8..<10),
            hour: isDay ? 0 : number(11..<13), minute: isDay ? 0 : number(14..<16),
            second: isDay ? 0 : number(17..<19))
        guard time.exists else { throw .date(AccessName.shown(word)) }
        return time.secondsSince1970 + (isDay ? 86_400 : 0)
    }

    /// Whether the bytes are those of `shape`, with a digit for each `_`.
    private static func fits(_ bytes: [UInt8], _ shape: String) -> Bool {
        let wanted = Array(shape.utf8)
        return bytes.count == wanted.count
            && zip(bytes, wanted).allSatisfy { byte, wanted in
                wanted == UInt8(ascii: "_")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == wanted
            }
    }
}
