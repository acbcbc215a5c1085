/// Where a test makes a call of the system fail, wait or do less than it was asked for. In the
/// world nothing is asked of it but a number.
package struct DiskFaults: Sendable {
    /// The calls that are asked about.
    package enum Step: String, Sendable, CaseIterable {
        case reserve, release, write, synchronize, read
    }

    package static let none = DiskFaults { _ in 0 }

    /// The error number to fail with instead of making the call; 0 to make it.
    let code: @Sendable (Step) -> CInt
    /// Most bytes that one call moves; the rest is left to the next.
    let bytesAtOnceMax: Int

    /// - Parameter code: called on the thread that makes the call, before it: it may wait.
    package init(bytesAtOnceMax: Int = .max, _ code: @escaping @Sendable (Step) -> CInt) {
        precondition(bytesAtOnceMax > 0, "a call that moves nothing would be made for ever")
        self.bytesAtOnceMax = bytesAtOnceMax
        self.code = code
    }

    /// Makes the call unless it is to fail.
    ///
    /// - Parameter call: returns 0 or an error number.
    func run(_ step: Step, _ call: () -> CInt) -> CInt {
        let fault = code(step)
        return fault == 0 ? call() : fault
    }
}
