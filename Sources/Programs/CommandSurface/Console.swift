import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The three streams that every program is given. Nothing is buffered: written bytes are out.
package enum Console {
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output shows colours and its owner wants them.
    package static var usesColour: Bool {
        usesColour(isTerminal: isOutputTerminal, environment: ProcessEnvironment.variables)
    }

    /// Only on a terminal that knows colours, and not where `NO_COLOR` has a value.
    package static func usesColour(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes to standard output.
    ///
    /// - Throws: ``CommandFailure`` if it takes no more: a full disk, a closed terminal.
    package static func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard let error = send(bytes, to: .standardOutput) else { return }
        throw CommandFailure(.refused, "cannot write the output: \(error)")
    }

    package static func write(_ text: String) throws(CommandFailure) {
        try write(Array(text.utf8))
    }

    /// Writes a sentence to standard error, with the program's name in front.
    package static func complain(_ sentence: String, from program: String = "martlet") {
        report("\(program): \(EndpointKeys.shortened(sentence))")
    }

    /// Writes a line to standard error. A failure is ignored.
    package static func report(_ line: String) {
        _ = send(Array("\(line)\n".utf8), to: .standardError)
    }

    /// Writes to standard error as it stands, without an end of line.
    package static func overwrite(_ text: String) {
        _ = send(Array(text.utf8), to: .standardError)
    }

    /// Asks a question that a person answers with yes or no.
    package static func confirm(_ question: String) -> Bool {
        _ = send(Array("\(question) [y/N] ".utf8), to: .standardError)
        let answer = readLine()?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }

    /// All that standard input has.
    ///
    /// - Parameter bytesMax: what is longer is refused, and not read to its end.
    /// - Throws: ``CommandFailure`` if it is longer or cannot be read.
    package static func readAll(bytesMax: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count: Int
            do {
                count = try buffer.withUnsafeMutableBytes {
                    try FileDescriptor.standardInput.read(into: $0)
                }
            } catch {
                throw CommandFailure(.refused, "cannot read standard input: \(error)")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMax else {
                throw CommandFailure(
                    .refused,
                    "standard input has more than the \(bytesMax) bytes that a value may have; "
                        + "store it in parts")
            }
        }
    }

    /// - Returns: what went wrong; `nil` if nothing did.
    private static func send(_ bytes: [UInt8], to stream: FileDescriptor) -> (any Error)? {
        do {
            try stream.writeAll(bytes)
            return nil
        } catch {
            return error
        }
    }
}

/// The variables that this process was started with.
package enum ProcessEnvironment {
    package static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

extension [String: String] {
    /// The value of a variable; one that is empty counts as not set.
    package func text(of variable: String) -> String? {
        self[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
