import Foundation
import TestSupport

/// A `/proc` and a `/sys/fs/cgroup` of real files in a temporary directory.
final class KernelTree: Sendable {
    private let directory: TemporaryDirectory

    var root: URL { directory.url }

    init() throws { directory = try TemporaryDirectory("kernel") }

    func write(_ path: String, _ text: String) throws {
        try write(path, Data(text.utf8))
    }

    func write(_ path: String, _ bytes: Data) throws {
        let file = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Data.write(to:) would call fsync.
        guard let stream = fopen(file.path, "w") else { throw CocoaError(.fileWriteUnknown) }
        defer { fclose(stream) }
        let written = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, stream) }
        guard written == bytes.count else { throw CocoaError(.fileWriteUnknown) }
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: root.appendingPathComponent(path))
    }

    /// A process in a group of version 2, with what a container sees.
    static func container(limit: String, used: Int, idleFiles: Int = 0) throws -> KernelTree {
        let tree = try KernelTree()
        try tree.write("proc/self/cgroup", "0::/\n")
        try tree.write("proc/self/mountinfo", mounts)
        try tree.setGroup("", limit: limit, used: used, idleFiles: idleFiles)
        try tree.write("proc/meminfo", meminfo(total: 64 << 20, available: 32 << 20))
        return tree
    }

    func setGroup(_ path: String, limit: String, used: Int, idleFiles: Int = 0) throws {
        let folder = "sys/fs/cgroup/\(path)"
        try write("\(folder)/memory.max", limit + "\n")
        try write("\(folder)/memory.high", "max\n")
        try write("\(folder)/memory.current", "\(used)\n")
        try write(
            "\(folder)/memory.stat",
            "anon 4096\nfile 8192\nworkingset_inactive_file 9\ninactive_file \(idleFiles)\n")
    }

    /// In KiB.
    static func meminfo(total: Int, available: Int) -> String {
        """
        MemTotal:       \(total) kB
        MemFree:         1048576 kB
        MemAvailable:   \(available) kB

        """
    }

    static let mounts = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        24 22 0:22 / /proc rw,nosuid - proc proc rw
        31 23 0:28 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate

        """
    static let mountsOfVersionOne = """
        22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
        35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw

        """
}
