#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is known of a directory that martlet keeps something in.
struct DirectoryFacts: Hashable {
    /// `nil`: it does not exist.
    var file: FileFacts?
    /// Whether one may make files in it, or, if it does not exist, in the next one above it.
    var isWritable: Bool
    /// What its file system has left, and what its own files take already; `nil`: unknown.
    var freeBytes: Int?
    var ownBytes = 0

    init(file: FileFacts?, isWritable: Bool, freeBytes: Int?, ownBytes: Int = 0) {
        self.file = file
        self.isWritable = isWritable
        self.freeBytes = freeBytes
        self.ownBytes = ownBytes
    }

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
