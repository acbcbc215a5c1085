/// Where a test makes a call of the system fail. In the world nothing is asked of it but a number.
package struct LogFaults: Sendable {
    /// The calls that change something on the disk.
    package enum Step: String, Sendable, CaseIterable {
        case create, reserve, write, synchronize, cut, rename, remove
    }

    package static let none = LogFaults { _ in 0 }

    /// The error number to fail with instead of making the call; 0 to make it.
    let code: @Sendable (Step) -> CInt

    package init(_ code: @escaping @Sendable (Step) -> CInt) { self.code = code }

    /// Makes the call unless it is to fail.
    ///
    /// - Parameter call: returns 0 or an error number.
    func run(
        _ step: Step, on path: String, _ call: () -> CInt
    ) throws(LogFileError) {
        let fault = code(step)
        let outcome = fault == 0 ? call() : fault
        guard outcome == 0 else { throw .call(step.rawValue, path: path, code: outcome) }
    }
}
