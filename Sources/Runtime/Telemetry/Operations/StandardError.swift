import SystemPackage

/// Writes messages of a program to its standard error. A failed write, to a full disk or a closed
/// pipe, is ignored: it must not end the program.
package enum StandardError {
    package static func write(_ text: String) {
        do {
            try FileDescriptor.standardError.writeAll(text.utf8)
        } catch {
            // The error cannot be reported anywhere else.
        }
    }
}
