import ByteCoding
import CacheModel

@testable import CacheLoading

/// An origin's answer: its head and body as they come, put together, and what the fields of it
/// mean.
///
///     status 2, elapsed 1 (in quarters of a second), manner 1, value bytes 1 (of the limit, in 8),
///     length of the head's lines 2, lines (`Name: value`, each ended by a newline), body
///
/// Manner: 1 the request asked by an ETag, 2 by a date, 4 the namespace alone decides on lifetimes,
/// 8 a field holds the version, 16 it is the answer to a write, 32 the body comes in two pieces.
enum AnswerFuzz: FuzzTarget {
    static let name = "answer"

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        let status = Int(script.word())
        let elapsed = Duration.milliseconds(250 * Int(script.byte()))
        let manner = script.byte()
        let valueBytesMax = 8 * Int(script.byte())
        let lines = script.take(Int(script.word()))
        let body = script.restCopied()
        let fields = fields(of: lines)
        let request = request(manner, valueBytesMax)
        let reply = OriginReply(status: status, fields: fields, body: body, elapsed: elapsed)
        let outcome = AnswerReader.read(reply, to: request)
        judge(outcome, of: reply, valueBytesMax)
        check(outcome == AnswerReader.read(reply, to: request), "the same answer means the same")
        assemble(reply, request, isOfWrite: manner & 16 == 16, isCut: manner & 32 == 32)
        if let wait = reply.retryAfter {
            check(wait <= OriginSchedulerLimits.retryAfterMax, "waits end")
        }
    }

    private static func fields(of lines: UnsafeRawBufferPointer) -> [OriginField] {
        lines.split(separator: 0x0A).prefix(64).map { line in
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            return OriginField(
                name: String(decoding: name, as: UTF8.self),
                value: String(decoding: line.dropFirst(name.count + 1), as: UTF8.self))
        }
    }

    private static func request(_ manner: UInt8, _ valueBytesMax: Int) -> OriginRequest {
        var policy = OriginPolicy(url: "http://origin.example/{key}")
        if manner & 4 == 4 { policy.lifetimeSource = .namespace }
        if manner & 8 == 8 { policy.versionField = "X-Version" }
        guard let key = CacheKey("k") else { fatalError("k is a key") }
        let validator =
            manner & 1 == 1
            ? Validator("\"v1\"")
            : manner & 2 == 2 ? Validator("Sun, 06 Nov 1994 08:49:37 GMT") : nil
        return OriginRequest(
            namespace: .default, key: key, validator: validator, policy: policy,
            valueBytesMax: valueBytesMax, timeout: .seconds(5))
    }

    private static func judge(_ outcome: LoadOutcome, of reply: OriginReply, _ valueBytesMax: Int) {
        switch outcome {
        case .value(let bytes, let facts):
            check([200, 203, 204].contains(reply.status), "only these are values")
            check(bytes.count <= valueBytesMax, "a value has bounds")
            judge(facts)
        case .unchanged(let facts), .absent(let facts): judge(facts)
        case .failed(_, let retryAfter):
            check(retryAfter.map { $0 >= .zero } ?? true, "nobody waits for the past")
        }
    }

    private static func judge(_ facts: LoadedFacts) {
        let longest = Duration.seconds(2 * CacheDirectives.secondsMax)
        let times = [
            facts.lifetime, facts.age, facts.staleWhileRevalidate, facts.staleIfError,
        ]
        let areBounded = times.allSatisfy { time in
            time.map { $0 >= .zero && $0 <= longest } ?? true
        }
        check(areBounded, "times have bounds: \(times)")
        check(facts.tags.count <= Tag.perEntryMax, "tags have bounds")
        check(Set(facts.tags).count == facts.tags.count, "no tag is there twice")
    }

    private static func assemble(
        _ reply: OriginReply, _ request: OriginRequest, isOfWrite: Bool, isCut: Bool
    ) {
        var assembly = ReplyAssembly(
            valueBytesMax: request.valueBytesMax, isConditional: request.validator != nil,
            isOfWrite: isOfWrite)
        var verdict = assembly.receivedHead(status: reply.status, fields: reply.fields)
        let half = isCut ? reply.body.count / 2 : 0
        for part in [reply.body[..<half], reply.body[half...]] where verdict == .goOn {
            verdict = part.withUnsafeBytes { assembly.received($0) }
        }
        let outcome = assembly.outcome(of: .whole, elapsed: reply.elapsed)
        guard case .answered(let whole) = outcome else { return }
        check(whole.status == reply.status, "an answer keeps its status")
        check(whole.body.isEmpty || reply.body.starts(with: whole.body), "no byte is made up")
    }
}
