/// All bounds of log lines about operations.
package enum OperationLogLimits {
    /// Most lines about slow operations in a second.
    package static let slowLinesMax = 10
    /// Most lines about sampled operations in a second.
    package static let sampledLinesMax = 100
}
