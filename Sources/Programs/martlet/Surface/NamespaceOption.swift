import ArgumentParser
import CacheModel

/// In which namespace a command's keys, tags and prefixes live.
struct NamespaceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The namespace of keys, tags and prefixes. (default: default)"),
        completion: ClusterNames.namespaces, transform: ArgumentText.namespace)
    var namespace: Namespace?

    /// The one that is meant, said or not.
    var room: Namespace { namespace ?? .default }
}
