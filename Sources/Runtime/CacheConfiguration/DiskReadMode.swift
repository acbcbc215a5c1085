/// How a node reads its disk tier's files.
package enum DiskReadMode: String, Hashable, Sendable, CaseIterable {
    /// A few threads, each with one read under way.
    case threads
    /// A ring of the kernel's and no thread; threads where the kernel has none.
    case ring
}
