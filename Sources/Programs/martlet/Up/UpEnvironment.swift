import ArgumentParser
import CommandSurface

/// How `up` uses the variables of its environment. Flags win over them, and variables that only one
/// process may have are refused: each child would take them.
///
///     MARTLET_MEMORY, MARTLET_DISK,
///     MARTLET_ENTRIES_MAX          ──▶ as the flags, where those are not given
///     one process's own            ──▶ refused
///     what flags say to children   ──▶ taken away
///     everything else              ──▶ each child
enum UpEnvironment {
    static let memoryVariable = "MARTLET_MEMORY"
    static let diskVariable = "MARTLET_DISK"
    static let entriesVariable = "MARTLET_ENTRIES_MAX"
    private static let logVariable = "MARTLET_LOG"

    /// What is of one process alone.
    static let ofOneProcess = [
        "MARTLET_ID", "MARTLET_PUBLISHER", "MARTLET_BIND", "MARTLET_LIVE",
        "MARTLET_DISK_DIRECTORY", "MARTLET_QUEUE_DIRECTORY",
    ]

    /// - Throws: ``CommandFailure`` if a variable is set that only one process may take.
    static func check(_ environment: [String: String]) throws(CommandFailure) {
        guard let name = ofOneProcess.first(where: { environment[$0]?.isEmpty == false }) else {
            return
        }
        throw CommandFailure(
            .wrongUsage,
            "\(name) is set, and up would hand it to every process that it starts: unset it, or "
                + "write it for each node into a configuration (--config)")
    }

    /// What children have of this process's environment.
    ///
    /// - Parameters:
    ///   - isFromFlags: whether `up` has made the configuration, which says what its flags said.
    ///   - hasLog: whether that names the directory of the publisher's log.
    static func passedOn(
        _ environment: [String: String], isFromFlags: Bool, hasLog: Bool
    ) -> [String: String] {
        // The key of the user that starts a cluster is not the key of its processes.
        var taken = Set(RoleOptions.accessVariables)
        if isFromFlags { taken.formUnion([memoryVariable, diskVariable, entriesVariable]) }
        if isFromFlags, hasLog { taken.insert(logVariable) }
        return environment.filter { !taken.contains($0.key) }
    }
}

/// What `up` has its processes log of single operations, and in which form.
///
/// They are told by variables: each takes those that mean something to it, and a flag of a role
/// that does not know it would end it. So what was said to `up` by a variable reaches them as well.
struct UpLogs: ParsableArguments {
    @OptionGroup var slow: SlowOptions

    @OptionGroup var sampling: SampleOptions

    @OptionGroup var format: LogOptions

    /// Refuses what a process would refuse, before any is started.
    ///
    /// - Parameter isSampling: whether the configuration has a node sample.
    func check(
        isSampling: Bool, environment: [String: String] = ProcessEnvironment.variables
    ) throws {
        let every = try sampling.every(environment: environment)
        _ = try slow.threshold(isNaming: every != nil || isSampling, environment: environment)
        _ = try slow.names(environment)
        _ = try format.format(environment)
    }

    /// What was said by flags, for processes that are started.
    var variables: [String: String] {
        let said: [String: String?] = [
            SlowOptions.variable: slow.slowLog,
            SlowOptions.namesVariable: slow.logNames?.rawValue,
            SampleOptions.variable: sampling.sampleLog,
            LogOptions.variable: format.logFormat?.rawValue,
        ]
        return said.compactMapValues(\.self)
    }
}
