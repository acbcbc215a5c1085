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
        let addresses = configuration.publisherAddresses
        let publishers = addresses.map(\.control)
        let noun = publishers.count == 1 ? "publisher" : "publishers"
        var findings: [DoctorFinding] = [
            .ok(
                subject,
                "\(FigureText.count(configuration.nodes.count, "node")), the \(noun) at "
                    + publishers.joined(separator: ", "))
        ]
        let endpoints =
            addresses.flatMap { [$0.control, $0.live].compactMap(\.self) }
            + configuration.nodes.flatMap { $0.shardEndpoints ?? [] }
        let reachable = endpoints.compactMap(parsed).filter { !$0.isLoopback }
        let open = publishers.first { parsed($0)?.serverKey == nil }
        if let first = reachable.first, let open {
            findings.append(
                .wrong(
                    subject,
                    "\(first) can be reached from other machines, and the publisher's endpoint "
                        + "has no key: no role starts so, but with --insecure-bind",
                    remedy: "make keys with martlet keygen, and write "
                        + "\(open)?key= and the public one as publisher.endpoint"))
        }
        return findings
    }

    /// Whether a key is the publisher's, or in the list.
    static func judge(
        _ configuration: ClusterConfiguration, key: PublicKey?, _ list: AccessList?
    ) -> [DoctorFinding] {
        guard let key else { return [] }
        let wanted = configuration.publisherAddresses.compactMap { parsed($0.control)?.serverKey }
        if wanted.contains(key) { return [.ok(subject, "the key is the publisher's")] }
        if let name = list?.entry(of: key)?.name {
            return [.ok(subject, "the key is \(name)'s in the list")]
        }
        guard !wanted.isEmpty else { return [] }
        let isOne = configuration.publishers.isEmpty
        let article = isOne ? "the" : "a"
        let fingerprints = wanted.map { "\($0.fingerprint)…" }.joined(separator: ", ")
        return [
            .warning(
                subject,
                "the key \(key.fingerprint)… is neither \(article) publisher's (\(fingerprints)) "
                    + "nor in the list",
                remedy: "if it is \(article) publisher's write it into "
                    + "\(isOne ? "publisher.endpoint" : "its endpoint under publishers"), "
                    + "otherwise add a line to the list")
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
