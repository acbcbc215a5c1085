/// What the kernel writes into its files about memory. Whatever makes no sense is as if it were
/// not there.
enum KernelText {
    /// From here on a limit is none: version 1 writes "no limit" as a huge number.
    private static let limitMax: UInt64 = 1 << 60

    /// A mounted hierarchy of cgroups.
    struct Mount: Hashable {
        /// Which part of the hierarchy is mounted.
        var root: String
        var point: String
    }

    /// A size in bytes on a line of its own.
    static func bytes(_ text: String) -> Int? {
        lines(text).first.flatMap { number($0) }
    }

    /// A limit in bytes.
    ///
    /// - Returns: `nil` for `max`, for a number that stands for it, and for zero.
    static func limit(_ text: String) -> Int? {
        guard let bytes = bytes(text), bytes > 0, bytes < Self.limitMax else { return nil }
        return bytes
    }

    /// The number behind `name` in lines of a name and a number, as `memory.stat` and `meminfo`
    /// have them.
    static func field(_ name: String, of text: String) -> Int? {
        for line in lines(text) where line.starts(with: name.utf8) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count >= 2, words[0].count == name.utf8.count else { continue }
            return number(words[1])
        }
        return nil
    }

    /// For how long all tasks waited at once: microseconds behind `total=` of the line `full`.
    static func fullStall(_ text: String) -> Duration? {
        for line in lines(text) where line.starts(with: "full ".utf8) {
            for word in line.split(separator: UInt8(ascii: " "))
            where word.starts(with: "total=".utf8) {
                return number(word.dropFirst("total=".utf8.count)).map { .microseconds($0) }
            }
        }
        return nil
    }

    /// The process's place in the hierarchy of `controller`; of version 2 that is the empty one.
    static func cgroup(of controller: String, in text: String) -> String? {
        for line in lines(text) {
            let parts = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, names(parts[1]).contains(controller) else { continue }
            return Self.text(parts[2])
        }
        return nil
    }

    /// The mount of version 2, or the one of version 1 that has `controller`.
    static func mount(of controller: String, in text: String) -> Mount? {
        for line in lines(text) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count >= 9, let dash = words.lastIndex(where: { Self.text($0) == "-" }),
                dash > 4, dash + 3 < words.count
            else { continue }
            let isIt =
                controller.isEmpty
                ? Self.text(words[dash + 1]) == "cgroup2"
                : Self.text(words[dash + 1]) == "cgroup"
                    && names(words[dash + 3]).contains(controller)
            if isIt { return Mount(root: Self.text(words[3]), point: Self.text(words[4])) }
        }
        return nil
    }

    private typealias Bytes = Substring.UTF8View

    private static func lines(_ text: String) -> [Bytes] {
        text.utf8.split(separator: UInt8(ascii: "\n"))
    }

    /// Names between commas; one empty name in nothing.
    private static func names(_ bytes: Bytes) -> [String] {
        bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { text($0) }
    }

    private static func text(_ bytes: Bytes) -> String { String(Substring(bytes)) }

    private static func number(_ bytes: Bytes) -> Int? {
        UInt64(Substring(bytes)).map { Int(clamping: $0) }
    }
}
