import ByteCoding
import CacheAccess
import CacheConfiguration
import CommandSurface

/// The configuration: that it can be used, and what it says of keys.
struct SettingsCheck: DoctorCheck {
    let source: Installation.Source<ClusterConfiguration>
    /// Of `--key`.
    let key: PublicKey?
    let list: AccessList?
    private static let subject = "configuration"

    func findings() async -> [DoctorFinding] {
        Self.judge(FileAccessCheck(source.path), user: FileFacts.ownUser) + judgedContent
    }

    private var judgedContent: [DoctorFinding] {
        switch source.content {
        case .success(let configuration):
            Self.judge(configuration) + Self.judge(configuration, key: key, list)
        case .failure(let failure):
            [
                .wrong(
                    Self.subject, failure.sentence,
                    remedy: "martlet config check \(source.path) names every problem")
            ]
        }
    }

    /// Which users could change it.
    static func judge(_ sight: FileAccessCheck, user: UInt32) -> [DoctorFinding] {
        sight.findings(
            subject, harm: "they can send nodes and clients elsewhere, with keys of their own",
            user: user)
    }

    /// Whether a cluster that other machines can reach has keys.
    static func judge(_ configuration: ClusterConfiguration) -> [DoctorFinding] {
        let publisher = configuration.publisher.endpoint
        var findings: [DoctorFinding] = [
            .ok(
                subject,
                "\(FigureText.count(configuration.nodes.count, "node")), the publisher at "
                    + publisher)
        ]
        let endpoints =
            [publisher, configuration.publisher.effectiveLiveEndpoint].compactMap(\.self)
            + configuration.nodes.flatMap { $0.shardEndpoints ?? [] }
        let reachable = endpoints.compactMap(parsed).filter { !$0.isLoopback }
        if let first = reachable.first, parsed(publisher)?.serverKey == nil {
            findings.append(
                .wrong(
                    subject,
                    "\(first) can be reached from other machines, and the publisher's endpoint "
                        + "has no key: no role starts so, but with --insecure-bind",
                    remedy: "make keys with martlet keygen, and write "
                        + "\(publisher)?key= and the public one as publisher.endpoint"))
        }
        return findings
    }

    /// Whether a key is the publisher's, or in the list.
    static func judge(
        _ configuration: ClusterConfiguration, key: PublicKey?, _ list: AccessList?
    ) -> [DoctorFinding] {
        guard let key else { return [] }
        let wanted = parsed(configuration.publisher.endpoint)?.serverKey
        if let wanted, wanted == key { return [.ok(subject, "the key is the publisher's")] }
        if let name = list?.entry(of: key)?.name {
            return [.ok(subject, "the key is \(name)'s in the list")]
        }
        guard let wanted else { return [] }
        return [
            .warning(
                subject,
                "the key \(key.fingerprint)… is neither the publisher's (\(wanted.fingerprint)…) "
                    + "nor in the list",
                remedy: "if it is the publisher's write it into publisher.endpoint, otherwise add "
                    + "a line to the list")
        ]
    }

    private static func parsed(_ text: String) -> EndpointText? {
        do throws(TextProblem) {
            return try EndpointText.parse(text)
        } catch {
            return nil
        }
    }
}
