import Foundation

/// A file that others read at any moment: it is replaced as a whole, so whoever sees it sees all
/// of it.
///
/// What it replaces is gone, and so nothing but an ordinary file may be there: in the place of
/// `/dev/null` a file would be left to everybody, if this runs as root.
struct ReplacedFile: Sendable {
    let url: URL

    /// - Parameter flag: which the path was given to, for the error.
    /// - Throws: ``CommandFailure`` if there is something else than an ordinary file.
    init(_ path: String, flag: String) throws(CommandFailure) {
        url = URL(fileURLWithPath: path)
        var facts = stat()
        // What cannot be looked at is told by the first write.
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG else { return }
        throw CommandFailure(
            .wrongUsage,
            "\(flag): \(path) is no ordinary file, and one would take its place; "
                + "give another name")
    }

    /// - Throws: an error of the system's; the file is as it was then.
    func write(_ data: Data) throws { try data.write(to: url, options: .atomic) }
}
