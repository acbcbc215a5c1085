import AccessControl
import ByteCoding
import CacheAccess
import CommandSurface
import ZeroMQ
import EssentialFoundation

/// A key's file: readable by its owner alone, and whole.
struct KeyCheck: DoctorCheck {
    let path: String
    let content: Result<CurveKeyPair, KeyFileError>
    private static let subject = "key"

    func findings() async -> [DoctorFinding] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return Self.judge(
            path, content.map(\.publicKey), FileFacts(path),
            folder: FileFacts(folder), user: FileFacts.ownUser)
    }

    static func judge(
        _ path: String, _ key: Result<PublicKey, KeyFileError>, _ facts: FileFacts?,
        folder: FileFacts?, user: UInt32
    ) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        switch key {
        case .success(let key):
            findings.append(.ok(subject, "\(path) is the key \(key.fingerprint)…"))
        case .failure(let error):
            let (what, remedy) = sentence(error)
            findings.append(.wrong(subject, what, remedy: remedy))
        }
        if case .failure(.ofAnother) = key { return findings + replaced(path, folder) }
        if let facts, facts.isForeign(to: user) {
            findings.append(
                .warning(
                    subject, "\(path) belongs to another user (\(facts.owner))",
                    remedy: "chown it to the user who runs martlet"))
        }
        return findings + replaced(path, folder)
    }

    private static func replaced(_ path: String, _ folder: FileFacts?) -> [DoctorFinding] {
        guard let folder, folder.isWritableByOthers else { return [] }
        return [
            .warning(
                subject,
                "others may replace \(path) (its directory has mode \(folder.modeText))",
                remedy: "chmod go-w the directory")
        ]
    }

    private static func sentence(_ error: KeyFileError) -> (what: String, remedy: String) {
        let anew = "make a new one with martlet keygen"
        switch error {
        case .missing(let path): return ("there is no key at \(path)", anew)
        case .readableByOthers(let path, let mode):
            return (
                "\(path) may be read by others (mode \(String(mode, radix: 8))), and no role "
                    + "accepts it",
                "chmod 600 \(path) if you are sure that no other user has read it, else \(anew)"
            )
        case .ofAnother(let path, let owner):
            return (
                "\(path) belongs to another user (\(owner)), so that user may read it, and no role "
                    + "accepts it",
                "chown it to the user who runs martlet, or \(anew)"
            )
        case .malformed(let path): return ("\(path) holds no key", anew)
        case .halvesDiffer(let path):
            return ("the two lines of \(path) are not halves of one key", anew)
        case .unreadable(let path, let reason), .unwritable(let path, let reason):
            return (
                "\(path) cannot be read: \(reason)",
                "let only the user who runs martlet read it"
            )
        case .exists(let path): return ("\(path) exists", "use it")
        }
    }
}

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
