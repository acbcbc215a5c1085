import CacheConfiguration
import ZeroMQ

/// The ports of the configuration: free, taken by a martlet, or by another program.
struct PlaceCheck: DoctorCheck {
    enum Sight: Hashable {
        case free
        /// The listener there greets as martlet does.
        case martlet
        case somebodyElse
        /// Not of this machine.
        case elsewhere
        case refused(String)
    }

    let endpoints: [String]
    private static let subject = "ports"

    init(_ configuration: ClusterConfiguration) {
        let publisher = configuration.publisher
        endpoints =
            ([publisher.endpoint, publisher.effectiveLiveEndpoint].compactMap(\.self)
            + configuration.nodes.flatMap { $0.shardEndpoints ?? [] })
            .filter { $0.hasPrefix("tcp:") }
    }

    func findings() async -> [DoctorFinding] {
        do {
            let context = try Context()
            return Self.judge(try endpoints.map { ($0, try Self.look(at: Endpoint($0), context)) })
        } catch {
            return [.hint(Self.subject, "they cannot be looked at: \(error)")]
        }
    }

    private static func look(at endpoint: Endpoint, _ context: Context) throws -> Sight {
        do throws(ZeroMQError) {
            let socket = try Socket(context, .pair)
            let bound = try socket.bind(endpoint)
            try socket.unbind(bound)
            return .free
        } catch {
            if error.isAddressNotAvailable { return .elsewhere }
            guard error.isAddressInUse else { return .refused("\(error)") }
            return Greeting.isHeard(at: endpoint) ? .martlet : .somebodyElse
        }
    }

    static func judge(_ sights: [(endpoint: String, sight: Sight)]) -> [DoctorFinding] {
        func count(_ wanted: Sight) -> Int { sights.filter { $0.sight == wanted }.count }
        var findings: [DoctorFinding] = []
        for (endpoint, sight) in sights {
            switch sight {
            case .free, .martlet, .elsewhere: continue
            case .somebodyElse:
                findings.append(
                    .wrong(
                        subject, "\(endpoint) is taken, and not by a martlet",
                        remedy: "ss -ltnp names the listener; choose another port, or stop it")
                )
            case .refused(let reason):
                findings.append(
                    .wrong(
                        subject, "\(endpoint) cannot be bound: \(reason)",
                        remedy: "choose an address and a port that this user may bind"))
            }
        }
        guard findings.isEmpty else { return findings }
        let parts = [
            (count(.free), "free"), (count(.martlet), "taken by a martlet"),
            (count(.elsewhere), "of other machines"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? [] : [.ok(subject, parts.joined(separator: ", "))]
    }
}
