import ArgumentParser
import Foundation

/// What a command ends with when it cannot do its job: an exit code and one clear line.
struct DoorError: Error, CustomStringConvertible {
    enum Kind: Int32, Sendable {
        case partial = 2
        case unreachable = 3
        case refused = 4
        case violation = 5
        case notFresh = 6
        case usage = 64
        case bug = 70
        case configuration = 78
    }

    var kind: Kind
    var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// How every role ends: its error as one line on standard error, and its exit code.
enum Door {
    static func run(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DoorError {
            FileHandle.standardError.write(Data("martlet: \(error)\n".utf8))
            throw ExitCode(error.kind.rawValue)
        }
    }
}
