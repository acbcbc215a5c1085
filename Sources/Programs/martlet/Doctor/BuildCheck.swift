import CacheConfiguration
import CommandSurface

/// What this build leaves out, and whether the configuration needs it.
struct BuildCheck: DoctorCheck {
    let configuration: ClusterConfiguration?
    private static let subject = "build"

    init(_ configuration: ClusterConfiguration?) {
        self.configuration = configuration
    }

    func findings() async -> [DoctorFinding] {
        Self.judge(configuration, gateway: .gateway, httpClient: .httpClient)
    }

    static func judge(
        _ configuration: ClusterConfiguration?, gateway: BuildFeature, httpClient: BuildFeature
    ) -> [DoctorFinding] {
        let missing = [gateway, httpClient].filter { !$0.isBuiltIn }
        guard !missing.isEmpty else { return [] }
        var findings: [DoctorFinding] = [
            .hint(subject, "without \(missing.map(\.noun).joined(separator: ", without "))")
        ]
        guard let configuration else { return findings }
        do throws(CommandFailure) {
            try httpClient.requireForOrigins(of: configuration)
        } catch {
            findings.append(
                .wrong(
                    subject,
                    "the configuration has an origin, and nodes of this build cannot ask it",
                    remedy:
                        "build with the trait \(BuildFeature.trait), as a plain swift build does"
                ))
        }
        return findings
    }
}
