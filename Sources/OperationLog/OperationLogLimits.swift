/// Every bound of the lines about operations.
package enum OperationLogLimits {
    /// Lines about slow operations, in a second.
    package static let slowLinesMax = 10
    /// Lines about sampled operations, in a second.
    package static let sampledLinesMax = 100
}
