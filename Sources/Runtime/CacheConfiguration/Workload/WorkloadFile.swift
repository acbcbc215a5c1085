package import CacheWorkload

/// A file of phases, and how it is read.
///
///     defaults: {keys: 1000000, value-size: 100B}
///     phases:
///       - {name: fill, fill: true}
///       - {name: steady, duration: 60s, rate: 50000}
///
/// What a phase leaves out is as `defaults` says, and what that leaves out is as ``base`` says:
/// the flags that were given beside the file.
package struct WorkloadFile: Sendable {
    /// What holds where the file says nothing. Its name is not used.
    package var base = WorkloadPhase(name: "")
    /// The seed, likewise.
    package var baseSeed: UInt64 = 1
    /// Threads of this machine that the phases are dealt out to.
    package var threadCount = 1
    /// Machines that test together.
    package var workerCount = 1

    package init() {}

    /// The workload that a file's bytes say.
    ///
    /// - Parameter fileName: how the file is called in problems.
    /// - Throws: every problem of the file at once, in its order.
    /// - Complexity: O(bytes), which are at most ``ConfigurationLimits/fileBytesMax``.
    package func parse(
        _ bytes: [UInt8], fileName: String
    ) throws(ConfigurationErrors) -> Workload {
        let problems = ProblemList(fileName: fileName)
        let root = try YAMLDocument.settings(bytes, least: "one phase", problems)
        let workload = WorkloadReader(root: root, file: self).read()
        try problems.throwIfAny()
        return workload
    }

    /// The workload that a file's text says, as in ``parse(_:fileName:)-([UInt8],_)``.
    package func parse(
        _ text: String, fileName: String
    ) throws(ConfigurationErrors) -> Workload {
        try parse(Array(text.utf8), fileName: fileName)
    }
}
