import CacheNodeCore

/// The cgroup that the process is in and those around it, as far as they can be seen, the own
/// one first: each may have a limit, and the tightest kills.
struct CgroupChain {
    /// The names of the files differ between the two versions, and so do their contents.
    struct Version {
        let usageFile: String
        let limitFiles: [String]
        /// Of `memory.stat`: pages of files that were not used lately. They are the first to go.
        let idleFilesField: String

        static let one = Version(
            usageFile: "memory.usage_in_bytes", limitFiles: ["memory.limit_in_bytes"],
            idleFilesField: "total_inactive_file")
        /// Behind `memory.high` the kernel slows the process down, behind the other it kills.
        static let two = Version(
            usageFile: "memory.current", limitFiles: ["memory.max", "memory.high"],
            idleFilesField: "inactive_file")
    }

    private static let depthMax = 32

    let version: Version
    let folders: [String]

    /// Finds the groups by which memory is accounted: of version 2 where that has the controller,
    /// else of version 1.
    ///
    /// - Parameter root: where `/proc` and the mounts are; empty but in tests.
    /// - Returns: `nil` if there are none.
    static func find(root: String) -> CgroupChain? {
        guard let groups = SmallFile.read(root + "/proc/self/cgroup"),
            let mounts = SmallFile.read(root + "/proc/self/mountinfo")
        else { return nil }
        for (version, controller) in [(Version.two, ""), (Version.one, "memory")] {
            guard let path = KernelText.cgroup(of: controller, in: groups),
                let mount = KernelText.mount(of: controller, in: mounts)
            else { continue }
            let chain = CgroupChain(version, path: path, mount: mount, root: root)
            if !chain.folders.isEmpty { return chain }
        }
        return nil
    }

    private init(_ version: Version, path: String, mount: KernelText.Mount, root: String) {
        self.version = version
        let point = root + mount.point
        var parts = Self.parts(of: path, below: mount.root)
        var folders: [String] = []
        while folders.count < Self.depthMax {
            let folder = ([point] + parts).joined(separator: "/")
            if SmallFile.read(folder + "/" + version.usageFile) != nil { folders.append(folder) }
            if parts.isEmpty { break }
            parts.removeLast()
        }
        self.folders = folders
    }

    /// Where the process's own group of version 2 lies, whatever is accounted there.
    static func ownFolder(groups: String, mounts: String, root: String) -> String? {
        guard let path = KernelText.cgroup(of: "", in: groups),
            let mount = KernelText.mount(of: "", in: mounts)
        else { return nil }
        return ([root + mount.point] + parts(of: path, below: mount.root)).joined(separator: "/")
    }

    /// The way from the mounted part of the hierarchy to the group. A container may see its group
    /// by a path that leads outside of what is mounted; then the mount is the group.
    private static func parts(of path: String, below mounted: String) -> [String] {
        let path = path.split(separator: "/").map(String.init)
        let mounted = mounted.split(separator: "/").map(String.init)
        guard path.starts(with: mounted), !path.contains("..") else { return [] }
        return Array(path.dropFirst(mounted.count))
    }

    /// The bounds that hold now; a group without a limit has none.
    func bounds() -> [MemorySample.Bound] {
        folders.compactMap { folder in
            let limits = version.limitFiles.compactMap { name in
                SmallFile.read(folder + "/" + name).flatMap(KernelText.limit)
            }
            guard let limit = limits.min(),
                let used = SmallFile.read(folder + "/" + version.usageFile)
                    .flatMap(KernelText.bytes)
            else { return nil }
            let idleFiles =
                SmallFile.read(folder + "/memory.stat")
                .flatMap { KernelText.field(version.idleFilesField, of: $0) } ?? 0
            let (working, overflow) = used.subtractingReportingOverflow(idleFiles)
            return MemorySample.Bound(
                .cgroup, limitBytes: limit, usedBytes: overflow ? 0 : working)
        }
    }
}
