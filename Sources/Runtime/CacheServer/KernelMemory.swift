import CacheNodeCore

/// What this system's kernel says of memory, read from its files anew each time.
///
/// Linux: the limits of the process's cgroups, else the machine's memory; and PSI, for how long
/// tasks waited. Elsewhere there is nothing to read.
struct KernelMemory {
    private let root: String
    private let chain: CgroupChain?
    private let stallFile: String

    /// - Parameter root: where `/proc` and the mounts are; empty but in tests.
    init(root: String = "") {
        self.root = root
        #if os(Linux)
            chain = CgroupChain.find(root: root)
            stallFile = Self.stallFile(root: root)
        #else
            chain = nil
            stallFile = ""
        #endif
    }

    func read() -> MemorySample {
        #if os(Linux)
            var bounds = chain?.bounds() ?? []
            if bounds.isEmpty, let machine { bounds = [machine] }
            return MemorySample(
                bounds: bounds, stalled: SmallFile.read(stallFile).flatMap(KernelText.fullStall))
        #else
            return MemorySample()
        #endif
    }

    private var machine: MemorySample.Bound? {
        guard let text = SmallFile.read(root + "/proc/meminfo"),
            let total = KernelText.field("MemTotal:", of: text), total > 0,
            let available = KernelText.field("MemAvailable:", of: text), available <= total,
            total < 1 << 50
        else { return nil }
        return MemorySample.Bound(
            .machine, limitBytes: total << 10, usedBytes: (total - available) << 10)
    }

    /// Pressure on the own group is known wherever version 2 is mounted, also where version 1 has
    /// the limits.
    private static func stallFile(root: String) -> String {
        let everybody = root + "/proc/pressure/memory"
        guard let groups = SmallFile.read(root + "/proc/self/cgroup"),
            let mounts = SmallFile.read(root + "/proc/self/mountinfo"),
            let own = CgroupChain.ownFolder(groups: groups, mounts: mounts, root: root)
        else { return everybody }
        let file = own + "/memory.pressure"
        return SmallFile.read(file).flatMap(KernelText.fullStall) == nil ? everybody : file
    }
}

/// How much memory there is here, and how much of it is in use.
package struct MachineMemory: Hashable, Sendable {
    package let limitBytes: Int
    package let usedBytes: Int
    /// Whether a cgroup bounds it, and not the machine.
    package let isOfCgroup: Bool

    /// The bound under which the least is left; `nil` where the system does not tell.
    package static var tightest: MachineMemory? {
        let bounds = KernelMemory().read().bounds
        let left = bounds.map { bound in (bound, bound.limitBytes - bound.usedBytes) }
        guard let (bound, _) = left.min(by: { $0.1 < $1.1 }) else { return nil }
        return MachineMemory(
            limitBytes: bound.limitBytes, usedBytes: bound.usedBytes,
            isOfCgroup: bound.place == .cgroup)
    }
}
