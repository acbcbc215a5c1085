import CacheModel
import CommandSurface

/// A build that can switch guards off. No program that users run can.
enum CheckedBuild {
    /// How to get one.
    static let command =
        "MARTLET_ONLY=simulate MARTLET_CHECKED=1 swift build -c release "
        + "--product martlet-simulate --scratch-path .build-simulate"

    /// Every guard but these is on.
    static func guards(without disabled: [ProtocolGuard]) throws(CommandFailure) -> Guards {
        guard let guards = Guards(without: disabled) else { throw refusal }
        return guards
    }

    /// What other builds answer.
    static var refusal: CommandFailure {
        CommandFailure(
            .refused, "this build cannot switch guards off; build one that can: \(command)")
    }
}
