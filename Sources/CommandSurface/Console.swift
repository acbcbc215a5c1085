import Foundation

/// The three streams that every program is given. Nothing is held back: what was written is out.
package enum Console {
    package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard output shows colours and its owner wants them.
    package static var usesColour: Bool {
        usesColour(
            isTerminal: isOutputTerminal, environment: ProcessInfo.processInfo.environment)
    }

    /// Only on a terminal that knows colours, and not where `NO_COLOR` has a value.
    package static func usesColour(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes to standard output.
    ///
    /// - Throws: ``CommandFailure`` if it takes no more: a full disk, a closed terminal.
    package static func write(_ bytes: [UInt8]) throws(CommandFailure) {
        guard let error = send(bytes, to: STDOUT_FILENO) else { return }
        throw CommandFailure(
            .refused, "cannot write the output: \(String(cString: strerror(error)))")
    }

    package static func write(_ text: String) throws(CommandFailure) {
        try write(Array(text.utf8))
    }

    /// Writes a sentence to standard error, with the program's name in front.
    package static func complain(_ sentence: String, from program: String = "martlet") {
        report("\(program): \(EndpointKeys.shortened(sentence))")
    }

    /// Writes a line to standard error. If even that cannot be written nobody is left to be told.
    package static func report(_ line: String) {
        _ = send(Array("\(line)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes to standard error as it stands, without an end of line.
    package static func overwrite(_ text: String) {
        _ = send(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Asks a question that a person answers with yes or no.
    package static func confirm(_ question: String) -> Bool {
        _ = send(Array("\(question) [y/N] ".utf8), to: STDERR_FILENO)
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
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                let error = errno
                if error == EINTR { continue }
                throw CommandFailure(
                    .refused, "cannot read standard input: \(String(cString: strerror(error)))")
            }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMax else {
                throw CommandFailure(
                    .refused,
                    "standard input has more than the \(bytesMax) bytes that a value may have; "
                        + "store it in parts")
            }
        }
    }

    /// - Returns: the errno of what went wrong; `nil` if nothing did.
    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if sent >= 0 {
                    rest = rest.dropFirst(sent)
                    continue
                }
                let error = errno
                if error != EINTR { return error }
            }
            return nil
        }
    }
}
