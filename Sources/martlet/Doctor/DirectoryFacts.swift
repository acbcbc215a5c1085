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

    private static func bytes(in path: String) -> Int {
        let names: [String]
        do {
            names = try FileManager.default.subpathsOfDirectory(atPath: path)
        } catch {
            return 0
        }
        var bytes = 0
        for name in names {
            var facts = stat()
            if lstat("\(path)/\(name)", &facts) == 0 { bytes += Int(facts.st_blocks) * 512 }
        }
        return bytes
    }
}
