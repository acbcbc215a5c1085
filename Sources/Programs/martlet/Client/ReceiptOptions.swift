import ArgumentParser
import MartletClient

/// How much a command that invalidates waits for.
struct ReceiptOptions: ParsableArguments {
    @Option(
        name: .customLong("wait"),
        help: ArgumentHelp(
            "Which nodes to wait for, as long as --timeout. (default: all)",
            valueName: "none|quorum|all"),
        transform: ArgumentText.wait)
    var chosenWait: InvalidationWait?

    var wait: InvalidationWait { chosenWait ?? .all }
}
