#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the system says of a file or directory, without opening it.
struct FileFacts: Hashable {
    enum Kind: Hashable { case file, directory, other }

    var kind: Kind
    /// The nine bits, and above them the sticky one.
    var mode: UInt32
    var owner: UInt32

    static var ownUser: UInt32 { geteuid() }
}

extension FileFacts {
    /// - Returns: `nil` if there is none, or it cannot be looked at.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        kind =
            switch facts.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        mode = UInt32(facts.st_mode & 0o1777)
        owner = facts.st_uid
    }

    /// Whether a path names a link, wherever that leads.
    static func isLink(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether others than the owner may write it: of a directory, replace what is in it.
    var isWritableByOthers: Bool {
        mode & 0o022 != 0 && !(kind == .directory && mode & 0o1000 != 0)
    }

    /// Whether its owner is neither `user` nor root.
    func isForeign(to user: UInt32) -> Bool { owner != user && owner != 0 }

    var modeText: String { String(mode, radix: 8) }
}

/// A file and the directories it is found through: which users could change it, or put another in
/// its place.
struct FileAccessCheck {
    struct Folder {
        let path: String
        let facts: FileFacts
    }

    let path: String
    /// `nil`: there is none, or it cannot be looked at.
    let facts: FileFacts?
    /// The one that the path names, and where it is a link the one with the file.
    let folders: [Folder]

    init(_ path: String, _ facts: FileFacts?, in folders: [Folder]) {
        (self.path, self.facts, self.folders) = (path, facts, folders)
    }

    init(_ path: String) {
        let named = URL(fileURLWithPath: path)
        var paths = [named, named.resolvingSymlinksInPath()].map {
            $0.deletingLastPathComponent().path
        }
        if paths[0] == paths[1] { paths.removeLast() }
        self.init(
            path, FileFacts(path),
            in: paths.compactMap { path in FileFacts(path).map { Folder(path: path, facts: $0) } })
    }

    /// What is wrong with the owner and mode of a file with which other users could do harm.
    ///
    /// - Parameters:
    ///   - harm: what others could do: "they can …".
    ///   - user: the one that runs martlet, and may own it beside root.
    func findings(_ subject: String, harm: String, user: UInt32) -> [DoctorFinding] {
        guard let facts else { return [] }
        let places = [Folder(path: path, facts: facts)] + folders
        return places.flatMap { place in
            let how = place.path == path ? "written" : "replaced in \(place.path)"
            var findings: [DoctorFinding] = []
            if place.facts.isWritableByOthers {
                findings.append(
                    .wrong(
                        subject,
                        "\(path) may be \(how) by others (mode \(place.facts.modeText)): \(harm)",
                        remedy: "chmod go-w \(place.path)"))
            }
            if place.facts.isForeign(to: user) {
                findings.append(
                    .warning(
                        subject, "\(place.path) belongs to another user (\(place.facts.owner))",
                        remedy: "chown it to root or to the user who runs martlet"))
            }
            return findings
        }
    }
}
