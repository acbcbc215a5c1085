import ArgumentParser
import CacheConfiguration
import CacheModel
import CacheWorkload
import CommandSurface
import MartletClient

/// What people type in arguments, read as the cache's nouns. Each throws a ``TextProblem`` that
/// says what to type instead. Keys, tags, prefixes, ETags and values are bytes as they were
/// given: see ``CommandSurface/ArgumentBytes``.
enum ArgumentText {
    /// The longest that a command may be told to wait.
    static let timeoutMax: Duration = .seconds(86_400)

    static func key(_ text: String) throws -> CacheKey {
        try known(
            CacheKey(bytes: ArgumentBytes.bytes(text)),
            "a key has 1 to \(CacheKey.bytesMax) bytes", text)
    }

    static func tag(_ text: String) throws -> Tag {
        try known(
            Tag(bytes: ArgumentBytes.bytes(text)), "a tag has 1 to \(Tag.bytesMax) bytes", text)
    }

    static func prefix(_ text: String) throws -> [UInt8] {
        let bytes = ArgumentBytes.bytes(text)
        return try known(
            (1...CacheKey.bytesMax).contains(bytes.count) ? bytes : nil,
            "a prefix has 1 to \(CacheKey.bytesMax) bytes", text)
    }

    /// Bytes with wildcards: `user:*:cart`.
    static func pattern(_ text: String) throws -> KeyGlob {
        do throws(KeyGlobError) {
            return try KeyGlob(ArgumentBytes.bytes(text))
        } catch {
            throw TextProblem("at byte \(error.position), \(error.sentence)")
        }
    }

    static func etag(_ text: String) throws -> Validator {
        try known(
            Validator(bytes: ArgumentBytes.bytes(text)),
            "an ETag has 1 to \(Validator.bytesMax) bytes", text)
    }

    static func representationField(_ text: String) throws -> RepresentationField {
        try read(
            RepresentationField(text),
            else: "a content type, encoding or language has \(RepresentationField.form)")
    }

    static func namespace(_ text: String) throws -> Namespace {
        try read(Namespace(text), else: "a namespace has 1 to 64 of a–z A–Z 0–9 . _ -")
    }

    static func node(_ text: String) throws -> NodeID {
        try read(NodeID(text), else: "a node's name has 1 to 64 of a–z A–Z 0–9 . _ -")
    }

    static func version(_ text: String) throws -> Version {
        try read(
            UInt64(text).flatMap { $0 > 0 ? Version($0) : nil },
            else: "a version is a whole number from 1 to 18446744073709551615")
    }

    static func position(_ text: String) throws -> ClusterPosition {
        try read(
            ClusterPosition(text),
            else: "a position is EPOCH:SEQUENCE, such as 1:42, and may go on with @ and the 16 "
                + "digits of its cluster")
    }

    /// How long to wait: 1ms to a day.
    static func timeout(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: .milliseconds(1)...timeoutMax)
    }

    /// An age, or a time past a lifetime: 0s to a hundred years.
    static func duration(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: .zero...ConfigurationLimits.timeToLive.upperBound)
    }

    static func readPolicy(_ text: String) throws -> ReadPolicy {
        let words = ReadPolicy.allCases.map(\.rawValue)
        return try read(
            ReadPolicy(rawValue: text), else: "give one of \(words.joined(separator: ", "))")
    }

    /// How long an invalidation takes its time.
    static func span(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: .seconds(1)...(.seconds(7 * 24 * 3_600)))
    }

    static func pacing(_ text: String) throws -> PacingID {
        try read(
            UInt64(text).flatMap { $0 > 0 ? PacingID($0) : nil },
            else: "a paced invalidation is known by a number, such as 3")
    }

    /// A time to live: 1ms to a hundred years, or `none`.
    static func lifetime(_ text: String) throws -> StoreOptions.Lifetime {
        try DurationText.parseOptional(text, in: ConfigurationLimits.timeToLive)
            .map { .after($0) } ?? .never
    }

    static func wait(_ text: String) throws -> InvalidationWait {
        try read(InvalidationWait(rawValue: text), else: "give none, quorum or all")
    }

    /// A count of at least one.
    static func count(_ text: String) throws -> Int {
        try number(text, in: 1...(.max), else: "a count is a whole number from 1")
    }

    /// Keys a second: `200/s`, or the number alone.
    static func keyRate(_ text: String) throws -> Int {
        try rate(text, in: 1...1_000_000, else: "a rate is 1/s to 1000000/s, such as 200/s")
    }

    static func rate(
        _ text: String, in range: ClosedRange<Int>, else sentence: String
    ) throws(TextProblem) -> Int {
        try number(
            text.hasSuffix("/s") ? String(text.dropLast(2)) : text, in: range, else: sentence)
    }

    static func inFlight(_ text: String) throws -> Int {
        try number(text, in: 1...1_024, else: "give 1 to 1024")
    }

    static func skipped(_ text: String) throws -> Int {
        try number(text, in: 0...(.max), else: "give a whole number from 0")
    }

    private static func known<Value>(
        _ value: Value?, _ rule: String, _ text: String
    ) throws(TextProblem) -> Value {
        try read(value, else: "\(rule), not \(ArgumentBytes.bytes(text).count)")
    }

    private static func number(
        _ text: String, in range: ClosedRange<Int>, else sentence: String
    ) throws(TextProblem) -> Int {
        try read(Int(text).flatMap { range.contains($0) ? $0 : nil }, else: sentence)
    }

    private static func read<Value>(
        _ value: Value?, else sentence: @autoclosure () -> String
    ) throws(TextProblem) -> Value {
        guard let value else { throw TextProblem(sentence()) }
        return value
    }
}

/// An argument with a meaning that another one gives: bytes, until it is known to be a text.
struct NameArgument: ExpressibleByArgument, Hashable {
    /// As they were given.
    let bytes: [UInt8]

    init(argument: String) {
        bytes = ArgumentBytes.bytes(argument)
    }

    /// As the parser has it: what ``ArgumentText`` reads.
    var text: String { ArgumentBytes.text(bytes) }
}

/// In which namespace a command's keys, tags and prefixes live.
struct NamespaceOption: ParsableArguments {
    @Option(
        help: "The namespace of keys, tags and prefixes. (default: default)",
        completion: ClusterNames.namespaces, transform: ArgumentText.namespace)
    var namespace: Namespace?

    var room: Namespace { namespace ?? .default }
}

/// `2/4`: the second of four that share the work.
enum PartText {
    static let countMax = 10_000

    static func parse(_ text: String) throws(TextProblem) -> KeyPart {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
            (1...countMax).contains(count), (1...count).contains(number)
        else { throw TextProblem("write 2/4 for the second of four; at most \(countMax)") }
        return KeyPart(index: number - 1, count: count)
    }
}

extension ArgumentHelp {
    /// - Parameter name: what stands for the value in the usage: `--timeout <duration>`.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name)
    }
}

extension ParsableArguments {
    /// Refuses arguments that do not go together.
    func refuse(
        if isWrong: Bool, _ sentence: @autoclosure () -> String
    ) throws(ValidationError) {
        if isWrong { throw ValidationError(sentence()) }
    }
}
