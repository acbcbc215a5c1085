import CacheConfiguration

/// What each check of the configuration file means for the publisher.
struct ConfigurationReloads {
    /// What a look at the file means.
    enum Outcome {
        /// It says what is in force; or it is refused as it was before.
        case nothing
        /// It is taken over; what of it takes effect later, a sentence each.
        case taken(ClusterConfiguration, deferrals: [String])
        /// Nothing of it is taken over: why, and how many changes cannot be.
        case refused(String, count: Int)
        /// A file that was refused says again what is in force.
        case restored
    }

    /// What is in force.
    private var current: ClusterConfiguration
    private var lastProblem: String?

    init(from configuration: ClusterConfiguration) {
        current = configuration
    }

    /// - Parameters:
    ///   - isAsked: whether a refusal is told again that was told before.
    ///   - read: reads the file.
    mutating func look(
        isAsked: Bool = false, _ read: () throws -> ClusterConfiguration
    ) -> Outcome {
        let found: ClusterConfiguration
        do {
            found = try read()
        } catch {
            return refused("\(error)", count: 1, isAsked)
        }
        let change = ConfigurationChange(from: current, to: found)
        let refusals = change.refusals
        guard refusals.isEmpty else {
            return refused(refusals.joined(separator: "; "), count: refusals.count, isAsked)
        }
        let wasRefused = lastProblem != nil
        lastProblem = nil
        guard found != current else { return wasRefused ? .restored : .nothing }
        current = found
        return .taken(found, deferrals: change.deferrals)
    }

    private mutating func refused(_ problem: String, count: Int, _ isAsked: Bool) -> Outcome {
        guard problem != lastProblem || isAsked else { return .nothing }
        lastProblem = problem
        return .refused(problem, count: count)
    }
}
