import CacheConfiguration
import CommandSurface
import EssentialFoundation
import LibC

/// The directories in which something is kept: there, ours, and with room for what is configured.
struct DirectoryCheck: DoctorCheck {
    /// One of them, and what is to find room in it.
    struct Place: Hashable {
        /// What it is for: `log`, `n1's disk`.
        var purpose: String
        var path: String
        var bytes = 0
    }

    let places: [Place]

    init(_ configuration: ClusterConfiguration?, directory: String?) {
        var places: [Place] = []
        if let directory { places.append(Place(purpose: "directory", path: directory)) }
        if let configuration {
            places += Self.places(of: configuration.publisher)
            places += configuration.publishers.map {
                Place(purpose: "state of \($0.id)", path: $0.stateDirectory)
            }
            for node in configuration.nodes {
                if let disk = node.disk {
                    places.append(
                        Place(
                            purpose: "disk of \(node.id)", path: disk.directory, bytes: disk.bytes))
                }
                if let queue = node.queueDirectory {
                    places.append(Place(purpose: "queue of \(node.id)", path: queue))
                }
            }
        }
        self.places = places
    }

    /// Where the log is, or what a publisher keeps beside one on etcd.
    private static func places(of publisher: PublisherSettings) -> [Place] {
        switch publisher.log {
        case .memory: []
        case .directory(let path):
            [Place(purpose: "log", path: path, bytes: publisher.retentionBytesMax)]
        case .etcd(let etcd):
            etcd.stateDirectory.map { [Place(purpose: "state of the publisher", path: $0)] } ?? []
        }
    }

    func findings() async -> [DoctorFinding] {
        places.map { Self.judge($0, DirectoryFacts($0.path), user: geteuid()) }
    }

    static func judge(
        _ place: Place, _ facts: DirectoryFacts, user: UInt32
    ) -> DoctorFinding {
        let (subject, path) = (place.purpose, place.path)
        if let file = facts.file {
            guard file.kind == .directory else {
                return .wrong(subject, "\(path) is no directory", remedy: "name another")
            }
            guard !file.isWritableByOthers else {
                return .wrong(
                    subject, "\(path) may be written by others (mode \(file.modeText))",
                    remedy: "chmod go-w \(path)")
            }
            guard !file.isForeign(to: user) else {
                return .warning(
                    subject, "\(path) belongs to another user (\(file.owner))",
                    remedy: "chown it to the user who runs martlet, or run doctor as that user")
            }
        }
        guard facts.isWritable else {
            return .wrong(
                subject,
                facts.file == nil
                    ? "\(path) does not exist, and may not be created"
                    : "\(path) may not be written",
                remedy: "create it, for the user who runs martlet")
        }
        let room = (facts.freeBytes ?? .max).addingReportingOverflow(facts.ownBytes)
        if !room.overflow, place.bytes > room.partialValue {
            return .wrong(
                subject,
                "\(path) has room for \(size(room.partialValue)), and "
                    + "\(size(place.bytes)) are configured",
                remedy: "make room, or configure less")
        }
        let made = facts.file == nil ? ", and is made at the start" : ""
        let free = facts.freeBytes.map { ", \(size($0)) free" } ?? ""
        return .ok(subject, "\(path)\(free)\(made)")
    }

    private static func size(_ bytes: Int) -> String { FigureText.size(UInt64(clamping: bytes)) }
}

/// What is known of a directory that martlet keeps something in.
struct DirectoryFacts: Hashable {
    /// `nil`: it does not exist.
    var file: FileFacts?
    /// Whether one may make files in it, or, if it does not exist, in the next one above it.
    var isWritable: Bool
    /// What its file system has left, and what its own files take already; `nil`: unknown.
    var freeBytes: Int?
    var ownBytes = 0
}

extension DirectoryFacts {
    init(_ path: String) {
        file = FileFacts(path)
        var place = URL(fileURLWithPath: path).standardizedFileURL
        while FileFacts(place.path) == nil, place.path != "/" {
            place.deleteLastPathComponent()
        }
        isWritable = access(place.path, W_OK | X_OK) == 0
        var facts = statvfs()
        freeBytes =
            statvfs(place.path, &facts) == 0
            ? Int(clamping: UInt64(facts.f_bavail) &* UInt64(facts.f_frsize)) : nil
        ownBytes = file?.kind == .directory ? Self.bytes(in: path) : 0
    }

    /// Bytes of the files below a directory, on its file system. What cannot be looked into counts
    /// as nothing.
    private static func bytes(in path: String, on device: dev_t? = nil) -> Int {
        var root = stat()
        guard lstat(path, &root) == 0, root.st_dev == device ?? root.st_dev else { return 0 }
        let own = Int(root.st_blocks) * 512
        guard root.st_mode & S_IFMT == S_IFDIR else { return own }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            return names.reduce(device == nil ? 0 : own) {
                $0 + bytes(in: "\(path)/\($1)", on: root.st_dev)
            }
        } catch {
            return own
        }
    }
}

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
