#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file and the directories it is found through: which users could change it, or put another in
/// its place.
struct FileSight {
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
