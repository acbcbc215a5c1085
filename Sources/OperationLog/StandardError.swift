import SystemPackage

/// What a program tells whoever watches it. Whether anybody reads it is not the program's business:
/// a full disk behind it, or a pipe that nobody holds any more, ends nothing.
package enum StandardError {
    package static func write(_ text: String) {
        do {
            try FileDescriptor.standardError.writeAll(text.utf8)
        } catch {
            // There is nobody left to be told.
        }
    }
}
