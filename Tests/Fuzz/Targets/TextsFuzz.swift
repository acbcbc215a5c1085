import ByteCoding
import CacheAccess
import CacheModel
import CacheWorkload
import ZeroMQ

@testable import CacheConfiguration

/// What people write on one line, in the file or behind a flag: what is taken is written as people
/// would write it, and taken again as the same.
///
///     text 1, bytes
enum TextsFuzz: FuzzTarget {
    static let name = "texts"

    private static func limit(_ text: String) throws -> Int? {
        try ByteSizeText.parseOptional(text, in: ConfigurationLimits.diskWriteBytesPerSecond)
    }

    private static let readings: [@Sendable (String) throws -> Void] = [
        { try again($0, DurationText.parse, DurationText.format) },
        { try again($0, { try ByteSizeText.parse($0) }, ByteSizeText.format) },
        { _ = try DiskSizeText.parse($0, shards: 3) },
        { try again($0, { try PercentText.parse($0, in: 0...100) }, PercentText.format) },
        { _ = try WeightText.parse($0) },
        { try again($0, limit, ByteSizeText.formatOptional) },
        { _ = try CountText.parse($0, in: 1...1_000_000) },
        { _ = try DirectoryText.parse($0) },
        { try again($0, EndpointText.parse) { $0.text } },
        { try again($0, KeyDistributionText.parse, KeyDistributionText.format) },
        { try again($0, { try OperationMixText.parse($0).mix }, OperationMixText.format) },
        { try again($0, sizes, SizeDistributionText.format) },
        { try again($0, TraceSpeedText.parse, TraceSpeedText.format) },
        { try again($0, { try Endpoint($0) }) { "\($0)" } },
        { _ = try Endpoint($0, for: .connecting) },
        { try again($0, { try CurveKeyPair(text: $0).publicKey }) { keyFile($0) } },
        names,
        { text in LogPosition(text).map { check(LogPosition("\($0)") == $0, "a position") } },
        { text in PublicKey(text).map { check(PublicKey("\($0)") == $0, "a key") } },
        { _ = PlantedBug($0, of: .some) },
        { text in
            guard let moment = AuditTime.milliseconds(of: text), moment >= 0 else { return }
            check(AuditTime.milliseconds(of: AuditTime.text(of: moment)) == moment, "a moment")
        },
    ]

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let reading = readings[script.below(readings.count)]
        let text = String(decoding: script.rest(), as: UTF8.self)
        do {
            try reading(text)
        } catch {
            check(!"\(error)".isEmpty, "a problem can be said")
            if let problem = error as? TextProblem { beFit(problem.sentence) }
        }
    }

    private static func sizes(_ text: String) throws(TextProblem) -> SizeDistribution {
        try SizeDistributionText.parse(text, in: WorkloadLimits.valueBytes)
    }

    private static func again<Value: Equatable>(
        _ text: String, _ parse: (String) throws -> Value, _ format: (Value) -> String
    ) throws {
        let value = try parse(text)
        let written = format(value)
        do {
            let other = try parse(written)
            check(other == value, "\(text) is written as \(written), which is something else")
        } catch {
            fatalError("\(text) is written as \(written), which cannot be read: \(error)")
        }
    }

    /// A pair that is known, so that only its public half has to be compared.
    private static func keyFile(_ key: PublicKey) -> String {
        let pair = samplePair
        check(pair.publicKey == key, "no other pair can be made by chance")
        return pair.secretText
    }

    static let samplePair: CurveKeyPair = {
        let secret = String(repeating: "11", count: 32)
        let open = "7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13"
        do {
            return try CurveKeyPair(text: "public-key \(open)\nsecret-key \(secret)\n")
        } catch {
            fatalError("the sample is a pair: \(error)")
        }
    }()

    private static func names(_ text: String) {
        if let name = Namespace(text) { check(name.name == text, "a namespace is its name") }
        if let node = NodeID(text) { check(node.name == text, "a node is its name") }
        if let tag = Tag(text) { check(tag.bytes == Array(text.utf8), "a tag is its bytes") }
        if let issuer = Issuer(text) { check(issuer.name == text, "an issuer is their name") }
        if let shortened = Issuer(shortening: text) {
            check(Issuer(shortened.name) == shortened, "what is shortened is a name")
        }
    }

    /// A sentence that quotes what was written must not steer the terminal that shows it.
    private static func beFit(_ sentence: String) {
        let isFit = sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        check(isFit, "a sentence has no control characters")
    }
}

extension NodeID {
    static let some: NodeID = {
        guard let node = NodeID("n1") else { fatalError("n1 is a name") }
        return node
    }()
}
