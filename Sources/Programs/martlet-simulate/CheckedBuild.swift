import CacheModel
import CommandSurface

/// A build that can disable guards. No released program can.
enum CheckedBuild {
    /// The command that makes one.
    static let command =
        "MARTLET_ONLY=simulate MARTLET_CHECKED=1 swift build -c release "
        + "--product martlet-simulate --scratch-path .build-simulate"

    /// All guards except these.
    static func guards(without disabled: [ProtocolGuard]) throws(CommandFailure) -> Guards {
        guard let guards = Guards(without: disabled) else { throw refusal }
        return guards
    }

    /// The error of other builds.
    static var refusal: CommandFailure {
        CommandFailure(
            .refused, "this build cannot switch guards off; build one that can: \(command)")
    }
}
