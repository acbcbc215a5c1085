import CacheConfiguration
import CacheModel
import CacheServer
import CommandSurface
import Storage
import SystemPackage
import Threading
import ZeroMQ
import EssentialFoundation

/// One of the things that `doctor` looks at. It looks – at a file, the system, an endpoint – and
/// judges what it saw by a static function of its own, which tests hold against made-up sights.
protocol DoctorCheck {
    /// Never fails: what cannot be seen is a finding.
    func findings() async -> [DoctorFinding]
}

/// Every bound of `doctor`.
enum DoctorLimits {
    /// An entry of the list that ends within so many days is said.
    static let daysBeforeEnd = 30
    /// Names that one finding says; the rest are counted.
    static let namesMax = 5
    /// How long an endpoint may take for a handshake, and a cluster for an answer.
    static let patience: Duration = .seconds(2)
    /// Descriptors that a role needs beside connections: files, sockets of its own, wake-ups.
    static let descriptorsOfOwn = 64
    /// Connections that one expects to have room for, at least: fewer is worth a warning.
    static let connectionsExpected = 4_000
    /// Longest list that is read, and a little more, so that one that is too long is found.
    static let listBytesMax = (4 << 20) + 1
    /// A right clock is not before the year in which this was written.
    static let yearMin = 2026
    static let yearMax = 2100
}

/// Names in a sentence, the first of them and how many more there are.
enum NameList {
    static func text(_ names: [String]) -> String {
        let shown = names.prefix(DoctorLimits.namesMax).joined(separator: ", ")
        let rest = names.count - DoctorLimits.namesMax
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }
}

/// What this build leaves out, and whether the configuration needs it.
struct BuildCheck: DoctorCheck {
    let configuration: ClusterConfiguration?
    private static let subject = "build"

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
                lacking("the configuration has an origin, and nodes of this build cannot ask it"))
        }
        do throws(CommandFailure) {
            try httpClient.requireForLog(of: configuration)
        } catch {
            findings.append(
                lacking(
                    "the configuration has a log on etcd, and publishers of this build cannot "
                        + "reach it"))
        }
        return findings
    }

    private static func lacking(_ sentence: String) -> DoctorFinding {
        .wrong(
            subject, sentence,
            remedy: "build with the trait \(BuildFeature.trait), as a plain swift build does")
    }
}

/// libzmq: new enough, and with CURVE.
struct LibraryCheck: DoctorCheck {
    private static let subject = "libzmq"

    func findings() async -> [DoctorFinding] {
        [Self.judge(.linked, hasCurve: LibraryVersion.hasCurve)]
    }

    static func judge(_ version: LibraryVersion, hasCurve: Bool) -> DoctorFinding {
        guard version >= .floor else {
            return .wrong(
                subject, "\(version) is older than \(LibraryVersion.floor), and has known holes",
                remedy: "install a newer libzmq5")
        }
        guard hasCurve else {
            return .wrong(
                subject, "\(version) is built without CURVE, so that no key can be used",
                remedy: "install one that is built with libsodium, as distributions do")
        }
        return .ok(subject, "\(version), with CURVE")
    }
}

/// The calendar: dates in the list hold by it.
struct ClockCheck: DoctorCheck {
    private static let subject = "clock"

    func findings() async -> [DoctorFinding] {
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        return [Self.judge(year: year, isSynchronized: CalendarClock.isSynchronized)]
    }

    static func judge(year: Int, isSynchronized: Bool?) -> DoctorFinding {
        guard (DoctorLimits.yearMin...DoctorLimits.yearMax).contains(year) else {
            return .wrong(
                subject, "it is set to the year \(year), and dates in the list hold by it",
                remedy: "set it, and let chrony, ntpd or systemd-timesyncd keep it")
        }
        switch isSynchronized {
        case true: return .ok(subject, "synchronised")
        case false:
            return .warning(
                subject, "not synchronised, as far as the kernel knows",
                remedy: "run chrony, ntpd or systemd-timesyncd: keys expire by this clock")
        default: return .hint(subject, "this system does not say whether it is synchronised")
        }
    }
}

/// How many connections a role could have.
struct DescriptorCheck: DoctorCheck {
    private static let subject = "descriptors"

    func findings() async -> [DoctorFinding] {
        guard let limits = Descriptors.limits else {
            return [.hint(Self.subject, "this system does not say how many there may be")]
        }
        return [Self.judge(soft: limits.soft, hard: limits.hard)]
    }

    static func judge(soft: Int, hard: Int) -> DoctorFinding {
        // Roles raise the soft limit themselves.
        let connections = max(0, hard - DoctorLimits.descriptorsOfOwn)
        let sentence = "\(soft) by default, \(hard) at most"
        let remedy = "LimitNOFILE=1048576 in a systemd unit, or ulimit -Hn, as root"
        guard connections > 0 else {
            return .wrong(subject, "\(sentence): no role can work with so few", remedy: remedy)
        }
        guard connections >= DoctorLimits.connectionsExpected else {
            return .warning(
                subject, "\(sentence): room for some \(connections) connections", remedy: remedy)
        }
        return .ok(subject, "\(sentence); roles take what they may")
    }
}

/// io_uring: whether the kernel reads for a disk tier.
struct RingCheck: DoctorCheck {
    private static let subject = "io_uring"

    func findings() async -> [DoctorFinding] { [Self.judge(KernelRing.refusal)] }

    /// - Parameter refusal: the system's error; 0: there was none.
    static func judge(_ refusal: Int32) -> DoctorFinding {
        guard refusal != 0 else { return .ok(subject, "the kernel reads for disk tiers") }
        return .hint(
            subject,
            "not to be had (\(Errno(rawValue: refusal))): threads read for disk tiers, a "
                + "little slower")
    }
}

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
