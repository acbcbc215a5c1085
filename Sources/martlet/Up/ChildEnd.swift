/// How a child ended.
struct ChildEnd: Sendable {
    var name: String
    var processID: Int32
    var code: Int32
    var wasSignalled: Bool

    /// It was drained, or asked to stop, and did.
    var isInOrder: Bool { !wasSignalled && code == 0 }

    var sentence: String {
        wasSignalled
            ? "\(name) (pid \(processID)) was ended by signal \(code)"
            : "\(name) (pid \(processID)) ended with code \(code)"
    }
}
