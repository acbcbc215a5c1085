import CacheNodeCore

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
