import CacheConfiguration
import CacheModel
import CacheServer
import CommandSurface

/// Memory: whether there is what the nodes of this machine are configured to take.
struct MemoryCheck: DoctorCheck {
    /// A node, and whether it is certain that it runs here.
    struct Need: Hashable {
        var node: String
        var bytes: Int
        var isHere: Bool
    }

    let needs: [Need]
    private static let subject = "memory"

    init(_ configuration: ClusterConfiguration?) {
        needs = (configuration?.nodes ?? []).map { node in
            let endpoints = node.shardEndpoints ?? []
            return Need(
                node: node.id.name, bytes: node.memory,
                isHere: endpoints.allSatisfy { $0.contains("//127.") || $0.contains("//[::1]") })
        }
    }

    func findings() async -> [DoctorFinding] {
        guard let memory = MachineMemory.tightest else {
            return [.hint(Self.subject, "this system does not say how much there is")]
        }
        return Self.judge(
            needs, limit: memory.limitBytes, free: memory.limitBytes - memory.usedBytes,
            of: memory.isOfCgroup ? "cgroup" : "machine")
    }

    static func judge(
        _ needs: [Need], limit: Int, free: Int, of whom: String
    ) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let here = needs.filter(\.isHere)
        let sum = here.reduce(0) { $0.addingReportingOverflow($1.bytes).partialValue }
        if sum > limit {
            findings.append(
                .wrong(
                    subject,
                    "\(NameList.text(here.map(\.node))) may take \(size(sum)), and the \(whom) "
                        + "has \(size(limit))",
                    remedy: "configure less memory, or run fewer nodes here"))
        } else if sum > free {
            findings.append(
                .warning(
                    subject,
                    "\(NameList.text(here.map(\.node))) may take \(size(sum)), and \(size(free)) "
                        + "of the \(whom)'s \(size(limit)) are free",
                    remedy: "nothing, if the nodes run already; else see what takes it"))
        }
        for need in needs where !need.isHere && need.bytes > limit {
            findings.append(
                .warning(
                    subject,
                    "\(need.node) may take \(size(need.bytes)), and this \(whom) has "
                        + size(limit),
                    remedy: "right if it runs elsewhere; else configure less"))
        }
        guard findings.isEmpty else { return findings }
        let taken = sum > 0 ? "; nodes here may take \(size(sum))" : ""
        return [
            .ok(subject, "\(size(free)) of the \(whom)'s \(size(limit)) are free\(taken)")
        ]
    }

    private static func size(_ bytes: Int) -> String { FigureText.size(UInt64(clamping: bytes)) }
}
