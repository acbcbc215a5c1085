import CacheAccess
import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The list of keys: its entries, and which users could change it.
struct ListCheck: DoctorCheck {
    let source: Installation.Source<AccessList>
    /// Of the configuration; `nil` if there is none.
    let nodes: [String]?
    private static let subject = "allow-list"
    private static let secondsPerDay = 86_400

    func findings() async -> [DoctorFinding] {
        let now = Int(Date().timeIntervalSince1970)
        var findings = Self.judge(FileAccessCheck(source.path), user: FileFacts.ownUser)
        switch source.content {
        case .success(let list):
            findings += Self.judge(list, at: now) + Self.judge(list, nodes: nodes, at: now)
        case .failure(let failure):
            findings.append(
                .wrong(
                    Self.subject, "\(source.path), \(failure.sentence)",
                    remedy: "correct it: until then the last valid list stays in force, and no "
                        + "role can start"))
        }
        return findings
    }

    static func judge(_ sight: FileAccessCheck, user: UInt32) -> [DoctorFinding] {
        sight.findings(subject, harm: "they can give themselves every right", user: user)
    }

    static func judge(_ list: AccessList, at now: Int) -> [DoctorFinding] {
        guard !list.entries.isEmpty else {
            return [
                .warning(
                    subject, "it is empty, so no key is admitted",
                    remedy: "martlet keygen NAME --roles ROLES --list FILE adds an entry")
            ]
        }
        var findings: [DoctorFinding] = [
            .ok(subject, FigureText.count(list.entries.count, "key"))
        ]
        let ended = list.entries.filter { !$0.isInForce(at: now) }
        if !ended.isEmpty {
            findings.append(
                .warning(
                    subject, "past their date, and not admitted: \(names(ended))",
                    remedy: "take them out, or give them another date"))
        }
        let soon = list.entries.filter { entry in
            entry.endsAt.map {
                $0 > now && $0 - now <= DoctorLimits.daysBeforeEnd * secondsPerDay
            } ?? false
        }
        if let first = soon.compactMap(\.endsAt).min() {
            let days = (first - now) / secondsPerDay
            findings.append(
                .warning(
                    subject,
                    "end soon: \(names(soon)), the first in \(FigureText.count(days, "day"))",
                    remedy: "make their next keys now, or give them another date"))
        }
        let doubled = Dictionary(grouping: list.entries, by: \.name).filter { $1.count > 1 }
        if !doubled.isEmpty {
            findings.append(
                .warning(
                    subject, "more than one key: \(NameList.text(doubled.keys.sorted()))",
                    remedy: "right while a key is changed; take the old line out when the new key "
                        + "is in use"))
        }
        let endless = list.entries.filter { $0.rights.contains(.admin) && $0.endsAt == nil }
        if !endless.isEmpty {
            findings.append(.hint(subject, "admin without a date: \(names(endless))"))
        }
        return findings
    }

    /// Whether it and the configuration know the same nodes.
    static func judge(_ list: AccessList, nodes: [String]?, at now: Int) -> [DoctorFinding] {
        guard let nodes else { return [] }
        var findings: [DoctorFinding] = []
        let speaking = list.entries.filter { $0.rights.contains(.node) }
        let named = Set(speaking.filter { $0.isInForce(at: now) }.map(\.name))
        let mute = nodes.filter { !named.contains($0) }
        if !mute.isEmpty {
            findings.append(
                .wrong(
                    subject,
                    "nodes without an entry of their name and role: \(NameList.text(mute))",
                    remedy: "martlet keygen NAME --roles node --list FILE, and --key NAME.key for "
                        + "the node"))
        }
        let strange = Set(speaking.map(\.name)).subtracting(nodes).sorted()
        if !strange.isEmpty {
            findings.append(
                .warning(
                    subject,
                    "with the role node, and no node of the configuration: "
                        + NameList.text(strange),
                    remedy: "take them out, or add them under nodes"))
        }
        return findings
    }

    private static func names(_ entries: [AccessEntry]) -> String {
        NameList.text(entries.map(\.name))
    }
}
