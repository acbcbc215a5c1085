import AccessControl
import CacheLoading
import CacheModel
import CacheOrigin
import Logging

/// What a node shows to its origins: policies with the secrets of its environment and files filled
/// in, and certificates.
///
/// Files are read when policies come. Those in headers are read again when an answer is 401, those
/// of TLS when a request is sent; each at most once a second for a namespace. A file that can no
/// longer be read, or whose certificates cannot be used, leaves what was read before.
struct OriginCredentials {
    /// What one namespace's files held when they were read last.
    private struct Held {
        var fields: [OriginField]
        var trust: OriginTrust?
        var isReadAt: Instant
        /// What is wrong with its files now, so that it is told once.
        var trouble: String?
    }

    private static let pause = Duration.seconds(1)

    private let environment: [String: String]
    private let files: SecretFiles
    private let logger: Logger
    /// As configured, for the namespaces that name files.
    private var policies: [Namespace: OriginPolicy] = [:]
    private var held: [Namespace: Held] = [:]

    init(_ sources: SecretSources, logger: Logger) {
        environment = sources.environment
        files = SecretFiles(directory: sources.directory)
        self.logger = logger
    }

    /// The policies that an origin can be asked by. A namespace whose secrets are not there has no
    /// origin: asked without them it would answer that the node is not let in.
    mutating func usable(
        _ configured: [Namespace: OriginPolicy], now: Instant
    ) -> [Namespace: OriginPolicy] {
        held = [:]
        policies = configured.filter { $0.value.namesFiles }
        var usable: [Namespace: OriginPolicy] = [:]
        for (namespace, policy) in configured.sorted(by: { $0.key.name < $1.key.name }) {
            do throws(OriginCredentialsError) {
                let fields = try filled(policy)
                if policy.namesFiles {
                    held[namespace] = Held(
                        fields: fields, trust: try trust(policy), isReadAt: now)
                }
                usable[namespace] = policy
                usable[namespace]?.fields = fields
            } catch {
                logger.error("namespace \(namespace.name) has no origin: \(error)")
            }
        }
        return usable
    }

    /// The request with what the files of its namespace hold now.
    mutating func completed(_ request: OriginRequest, now: Instant) -> OriginRequest {
        guard let policy = policies[request.namespace], held[request.namespace] != nil else {
            return request
        }
        if policy.tls != nil { readAgain(request.namespace, policy, now: now) }
        var request = request
        if let held = held[request.namespace] {
            request.policy.fields = held.fields
            request.trust = held.trust
        }
        return request
    }

    /// The request to send in place of one that was answered by 401, if the files hold something
    /// else by now, with the time that is left of it.
    mutating func repetition(
        of request: OriginRequest, after outcome: AttemptOutcome, now: Instant
    ) -> OriginRequest? {
        guard case .answered(let reply) = outcome, reply.status == 401,
            let policy = policies[request.namespace],
            let known = held[request.namespace], request.timeout > reply.elapsed
        else { return nil }
        if known.fields == request.policy.fields {
            readAgain(request.namespace, policy, now: now)
        }
        var again = completed(request, now: now)
        guard again.policy.fields != request.policy.fields else { return nil }
        again.timeout = request.timeout - reply.elapsed
        return again
    }

    private mutating func readAgain(_ namespace: Namespace, _ policy: OriginPolicy, now: Instant) {
        guard var known = held[namespace], now.elapsed(since: known.isReadAt) >= Self.pause else {
            return
        }
        known.isReadAt = now
        do throws(OriginCredentialsError) {
            known.fields = try filled(policy)
            let files = try self.files.trust(policy.tls)
            if files != known.trust { known.trust = try checked(files) }
            known.trouble = nil
        } catch {
            if known.trouble != error.description {
                logger.warning(
                    "namespace \(namespace.name) goes on with the secrets it had: \(error)")
            }
            known.trouble = error.description
        }
        held[namespace] = known
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

    private func trust(_ policy: OriginPolicy) throws(OriginCredentialsError) -> OriginTrust? {
        try checked(try files.trust(policy.tls))
    }

    private func checked(_ trust: OriginTrust?) throws(OriginCredentialsError) -> OriginTrust? {
        guard let trust else { return nil }
        do throws(HTTPOriginError) {
            try HTTPOrigin.check(trust)
            return trust
        } catch {
            throw .trustUnusable("\(error)")
        }
    }
}

extension OriginPolicy {
    fileprivate var namesFiles: Bool {
        tls != nil || fields.contains { !$0.secretFiles.isEmpty }
    }
}
