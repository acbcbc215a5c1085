import AccessControl
import ByteCoding
import ZeroMQ

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
