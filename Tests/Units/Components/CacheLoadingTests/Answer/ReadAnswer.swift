import CacheModel
import Testing

@testable import CacheLoading

/// An outcome that can be compared.
enum ReadAnswer: Equatable {
    case value([UInt8], LoadedFacts)
    case unchanged(LoadedFacts)
    case absent(LoadedFacts)
    case failed(LoadFailure, retryAfter: Duration?)

    init(_ outcome: LoadOutcome) {
        switch outcome {
        case .value(let bytes, let facts): self = .value(bytes, facts)
        case .unchanged(let facts): self = .unchanged(facts)
        case .absent(let facts): self = .absent(facts)
        case .failed(let failure, let retryAfter): self = .failed(failure, retryAfter: retryAfter)
        }
    }

    /// What is said beside the bytes; nothing of a failure.
    var facts: LoadedFacts? {
        switch self {
        case .value(_, let facts), .unchanged(let facts), .absent(let facts): facts
        case .failed: nil
        }
    }

    var failure: LoadFailure? {
        if case .failed(let failure, _) = self { failure } else { nil }
    }

    var retryAfter: Duration? {
        if case .failed(_, let retryAfter) = self { retryAfter } else { nil }
    }
}

/// An answer and its request, told in a few words.
struct AnswerSample {
    var status = 200
    /// Lines as they are on the wire: `Name: value`.
    var lines: [String] = []
    var body: [UInt8] = [1, 2, 3]
    var elapsed = Duration.zero
    var asked: String?
    /// On what terms that is held.
    var held: LoadTerms?
    var policy = OriginPolicy(url: "http://origin.example/{key}")
    var valueBytesMax = 1_024

    var fields: [OriginField] {
        lines.map { line in
            let name = line.prefix { $0 != ":" }
            return OriginField(name: String(name), value: String(line.dropFirst(name.count + 1)))
        }
    }

    func read() throws -> ReadAnswer { try read(fields) }

    func read(_ fields: [OriginField]) throws -> ReadAnswer {
        var request = OriginRequest(
            namespace: .default, key: try #require(CacheKey("k")),
            validator: asked.flatMap { Validator($0) }, policy: policy,
            valueBytesMax: valueBytesMax, timeout: .seconds(5))
        request.held = held
        let reply = OriginReply(status: status, fields: fields, body: body, elapsed: elapsed)
        return ReadAnswer(AnswerReader.read(reply, to: request))
    }

    func facts() throws -> LoadedFacts { try #require(try read().facts) }

    /// What a 200 with these lines says.
    static func facts(_ lines: String...) throws -> LoadedFacts {
        try AnswerSample(lines: lines).facts()
    }
}
