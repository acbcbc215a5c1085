/// Everything wrong with a configuration file: at least one problem, in the file's order.
package struct ConfigurationErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// At most ``ConfigurationLimits/problemsMax``.
    package let problems: [ConfigurationProblem]
    /// How many more there are.
    package let omittedCount: Int

    package init(problems: [ConfigurationProblem], omittedCount: Int = 0) {
        precondition(!problems.isEmpty, "a refusal names a reason")
        self.problems = problems
        self.omittedCount = omittedCount
    }

    /// One line for each problem.
    package var description: String {
        var lines = problems.map(\.description)
        if omittedCount > 0 { lines.append("… and \(omittedCount) more") }
        return lines.joined(separator: "\n")
    }
}
