package import SharedLogCore
package import Storage

/// What is stored beside a log, in a directory and in etcd.
extension StateName {
    package init(_ state: LogState) {
        self =
            switch state {
            case .pacings: .pacings
            case .nodes: .runs
            case .cluster: .identity
            case .slots: .slots
            }
    }

    /// The file of it; `nil` if the log itself has it, on a disk.
    package var logState: LogState? { LogState.allCases.first { StateName($0) == self } }
}
