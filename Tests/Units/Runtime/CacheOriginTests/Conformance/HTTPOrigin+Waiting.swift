import CacheLoading
import CacheModel
import CacheOrigin

extension HTTPOrigin {
    /// What comes of `request`. A second outcome would trap.
    func outcome(of request: OriginRequest) async -> AttemptOutcome {
        await withCheckedContinuation { continuation in
            begin(request) { continuation.resume(returning: $0) }
        }
    }

    func shutDown(grace: Duration = .zero) async {
        await withCheckedContinuation { continuation in
            shutDown(grace: grace) { continuation.resume() }
        }
    }
}

extension OriginRequest {
    /// A request with the values of a test that does not care.
    static func test(
        _ key: String, from url: String = "http://unused/{key}", validator: String? = nil,
        valueBytesMax: Int = 1_000, timeout: Duration = .seconds(20)
    ) throws -> OriginRequest {
        try test(
            bytes: Array(key.utf8), from: url, validator: validator, valueBytesMax: valueBytesMax,
            timeout: timeout)
    }

    static func test(
        bytes: [UInt8], from url: String, validator: String? = nil, valueBytesMax: Int = 1_000,
        timeout: Duration = .seconds(20)
    ) throws -> OriginRequest {
        struct NoKey: Error {}
        guard let key = CacheKey(bytes: bytes) else { throw NoKey() }
        return OriginRequest(
            namespace: .default, key: key, validator: validator.flatMap { Validator($0) },
            policy: OriginPolicy(url: url), valueBytesMax: valueBytesMax, timeout: timeout)
    }
}

extension AttemptOutcome {
    var reply: OriginReply? {
        if case .answered(let reply) = self { reply } else { nil }
    }

    var failure: LoadFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
