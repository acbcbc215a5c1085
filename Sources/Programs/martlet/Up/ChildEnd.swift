import CommandSurface

/// How a child ended.
struct ChildEnd: Sendable {
    var name: String
    var processID: Int32
    var how: ChildProgram.End

    /// It was drained, or asked to stop, and did.
    var isInOrder: Bool { how == .exited(0) }

    /// With what `up` ends if the child could not start.
    var status: ExitStatus {
        guard case .exited(let code) = how else { return .unusableConfiguration }
        return ExitStatus(rawValue: code) ?? .unusableConfiguration
    }

    var sentence: String {
        let subject = "\(name) (pid \(processID))"
        return switch how {
        case .exited(let code): "\(subject) ended with code \(code)"
        case .signalled(let number): "\(subject) was ended by signal \(number)"
        }
    }
}
