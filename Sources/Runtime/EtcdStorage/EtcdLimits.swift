/// Bounds of the connection to etcd.
package enum EtcdLimits {
    /// Longest time for one request: a leader's lease has time for two of them.
    package static let requestTime: Duration = .milliseconds(900)
    /// Time between two questions to all members how they are.
    static let membersSpacing: Duration = .seconds(2)
    /// Longest wait of the keeper's thread.
    static let waitMax: Duration = .seconds(60)
}
