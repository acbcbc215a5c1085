import ArgumentParser
import CommandSurface

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
