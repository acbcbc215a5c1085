#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the system says of a file or directory, without opening it.
struct FileFacts: Hashable {
    enum Kind: Hashable { case file, directory, other }

    var kind: Kind
    /// The nine bits, and above them the sticky one.
    var mode: UInt32
    var owner: UInt32

    init(kind: Kind, mode: UInt32, owner: UInt32) {
        self.kind = kind
        self.mode = mode
        self.owner = owner
    }

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
