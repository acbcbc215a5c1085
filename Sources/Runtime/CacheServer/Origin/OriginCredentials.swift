import AccessControl
import CacheLoading
import CacheModel
import CacheOrigin
import Logging

/// What a node shows to its origins: policies with the secrets of its environment and files filled
/// in, and certificates.
///
/// Files are read when policies come. Those in headers are read again when an answer is 401, at
/// most ten times a second for a namespace; those of TLS when a request is sent, at most once. If
/// a file can no longer be read, or its certificates cannot be used, the content that was read
/// before stays in use. If there was none, the files are read again once a second.
struct OriginCredentials {
    /// What one namespace's files held when they were read last.
    private struct Held {
        var fields: Kept<[OriginField]>
        var trust: Kept<OriginTrust?>
    }

    /// What was read last, and can be read again.
    private struct Kept<Value> {
        var value: Value
        private var readAt: Instant
        /// What was wrong, so that it is told once.
        private var trouble: String?

        init(_ value: Value, at now: Instant) { (self.value, readAt) = (value, now) }

        /// Reads it again, at most once in `pause`.
        ///
        /// - Returns: what is wrong, if it was not before; the value is the former one then.
        mutating func renew(
            after pause: Duration, now: Instant,
            _ read: (Value) throws(OriginCredentialsError) -> Value
        ) -> OriginCredentialsError? {
            guard now.elapsed(since: readAt) >= pause else { return nil }
            readAt = now
            do throws(OriginCredentialsError) {
                value = try read(value)
                trouble = nil
                return nil
            } catch {
                return failed(error)
            }
        }

        /// Notes that it could not be read.
        ///
        /// - Returns: why, if that was not told before.
        mutating func failed(_ error: OriginCredentialsError) -> OriginCredentialsError? {
            defer { trouble = error.description }
            return trouble == error.description ? nil : error
        }
    }

    private static let pause = Duration.seconds(1)
    /// Shorter where a request has been refused: its readers have nothing until then.
    private static let refusedPause = Duration.milliseconds(100)

    private let environment: [String: String]
    private let files: SecretFiles
    private let logger: Logger
    private(set) var configured: [Namespace: OriginPolicy] = [:]
    private var held: [Namespace: Held] = [:]
    /// Certificates of namespaces that cannot be used.
    private var refused: [Namespace: RefusedContent<OriginTrust, OriginCredentialsError>] = [:]
    /// Why namespaces have no origin now.
    private var off: [Namespace: String] = [:]
    /// When files are looked at that were not there.
    private(set) var nextTry: Instant?

    init(_ sources: SecretSources, logger: Logger) {
        environment = sources.environment
        files = SecretFiles(directory: sources.directory)
        self.logger = logger
    }

    /// The policies that an origin can be asked by. A namespace with a missing secret has no
    /// origin: without the secret the origin would refuse the node.
    mutating func usable(
        _ policies: [Namespace: OriginPolicy], now: Instant
    ) -> [Namespace: OriginPolicy] {
        let (former, formerHeld, formerOff) = (configured, held, off)
        (configured, held, off, nextTry) = (policies, [:], [:], nil)
        var usable: [Namespace: OriginPolicy] = [:]
        for (namespace, policy) in policies.sorted(by: { $0.key.name < $1.key.name }) {
            do throws(OriginCredentialsError) {
                usable[namespace] = policy
                usable[namespace]?.fields = try read(policy, of: namespace, now: now)
            } catch {
                let kept = former[namespace].flatMap { before in
                    before.fields == policy.fields && before.tls == policy.tls
                        ? formerHeld[namespace] : nil
                }
                guard let kept else {
                    usable[namespace] = nil
                    off[namespace] = error.description
                    if policy.namesFiles { nextTry = now.advanced(by: Self.pause) }
                    if formerOff[namespace] != error.description {
                        logger.error("namespace \(namespace.name) has no origin: \(error)")
                    }
                    continue
                }
                held[namespace] = kept
                usable[namespace]?.fields = kept.fields.value
                tell(held[namespace]?.fields.failed(error), of: namespace)
            }
        }
        return usable
    }

    /// The policies, if the missing files of a namespace are there by now.
    mutating func retried(now: Instant) -> [Namespace: OriginPolicy]? {
        guard let due = nextTry, due <= now else { return nil }
        let before = Set(off.keys)
        let usable = usable(configured, now: now)
        return Set(off.keys) == before ? nil : usable
    }

    /// The fields of a policy; what its files hold is kept.
    private mutating func read(
        _ policy: OriginPolicy, of namespace: Namespace, now: Instant
    ) throws(OriginCredentialsError) -> [OriginField] {
        let fields = try filled(policy)
        guard policy.namesFiles else { return fields }
        held[namespace] = Held(
            fields: Kept(fields, at: now),
            trust: Kept(try checked(try files.trust(policy.tls), of: namespace), at: now))
        return fields
    }

    /// The request with what the files of its namespace hold now.
    mutating func completed(_ request: OriginRequest, now: Instant) -> OriginRequest {
        guard let policy = configured[request.namespace], held[request.namespace] != nil else {
            return request
        }
        if policy.tls != nil { readTrustAgain(request.namespace, policy, now: now) }
        var request = request
        if let held = held[request.namespace] {
            request.policy.fields = held.fields.value
            request.trust = held.trust.value
        }
        return request
    }

    /// The request to send in place of one that was answered by 401, if the files hold something
    /// else by now, with the time that is left of it. To the same place: a new secret is not for
    /// an origin of before.
    mutating func repetition(
        of request: OriginRequest, after outcome: AttemptOutcome, now: Instant
    ) -> OriginRequest? {
        guard case .answered(let reply) = outcome, reply.status == 401,
            let policy = configured[request.namespace], policy.url == request.policy.url,
            policy.question == request.policy.question,
            let known = held[request.namespace], request.timeout > reply.elapsed
        else { return nil }
        if known.fields.value == request.policy.fields {
            readFieldsAgain(request.namespace, policy, now: now)
        }
        var again = completed(request, now: now)
        guard again.policy.fields != request.policy.fields else { return nil }
        again.timeout = request.timeout - reply.elapsed
        return again
    }

    private mutating func readFieldsAgain(
        _ namespace: Namespace, _ policy: OriginPolicy, now: Instant
    ) {
        guard var known = held[namespace] else { return }
        let problem = known.fields.renew(after: Self.refusedPause, now: now) {
            _ throws(OriginCredentialsError) in try filled(policy)
        }
        held[namespace] = known
        tell(problem, of: namespace)
    }

    private mutating func readTrustAgain(
        _ namespace: Namespace, _ policy: OriginPolicy, now: Instant
    ) {
        guard var known = held[namespace] else { return }
        let problem = known.trust.renew(after: Self.pause, now: now) {
            former throws(OriginCredentialsError) in
            let trust = try files.trust(policy.tls)
            return trust == former ? former : try checked(trust, of: namespace)
        }
        held[namespace] = known
        tell(problem, of: namespace)
    }

    private func tell(_ problem: OriginCredentialsError?, of namespace: Namespace) {
        guard let problem else { return }
        logger.warning("namespace \(namespace.name) keeps the secrets it had: \(problem)")
    }

    private func filled(_ policy: OriginPolicy) throws(OriginCredentialsError) -> [OriginField] {
        var fields: [OriginField] = []
        for field in policy.fields {
            var problem: OriginCredentialsError?
            let filled = field.filled { name in
                guard name.hasPrefix(SecretName.prefix) else { return environment[name] }
                do throws(OriginCredentialsError) {
                    return try files.text(String(name.dropFirst(SecretName.prefix.count)))
                } catch {
                    problem = error
                    return nil
                }
            }
            guard let filled else { throw problem ?? .variableMissing(header: field.name) }
            fields.append(filled)
        }
        return fields
    }

    private mutating func checked(
        _ trust: OriginTrust?, of namespace: Namespace
    ) throws(OriginCredentialsError) -> OriginTrust? {
        guard let trust else { return nil }
        return try refused[namespace, default: RefusedContent()].judge(trust) {
            trust throws(OriginCredentialsError) in
            do throws(HTTPOriginError) {
                try HTTPOrigin.check(trust)
                return trust
            } catch {
                throw .trustUnusable("\(error)")
            }
        }
    }
}

extension OriginPolicy {
    fileprivate var namesFiles: Bool {
        tls != nil || fields.contains { !$0.secretFiles.isEmpty }
    }
}
