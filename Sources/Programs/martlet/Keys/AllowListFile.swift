import CacheAccess
import CommandSurface
import EssentialFoundation

/// A list of public keys on disk, to which lines are added.
struct AllowListFile {
    /// How long to wait for another process that changes it.
    static let patience = Duration.seconds(10)

    private let file: ReplacedFile
    /// From before it is read until it is written: a line that came meanwhile would be lost.
    private let lock: FolderLock
    private let text: String

    /// - Parameters:
    ///   - line: is checked together with what is there.
    ///   - patience: how long to wait for another process that changes it.
    /// - Throws: ``CommandFailure`` if the file cannot be read or is wrong, or would be with the
    ///   line, or another process still changes it; it is untouched.
    init(
        _ path: String, adding line: String, patience: Duration = Self.patience
    ) throws(CommandFailure) {
        file = try ReplacedFile(path, flag: "--list")
        lock = try FolderLock(for: file.url, patience: patience)
        var text = Self.heading
        if FileManager.default.fileExists(atPath: path) {
            guard let data = FileManager.default.contents(atPath: path),
                let found = String(data: data, encoding: .utf8)
            else {
                throw CommandFailure(.unusableConfiguration, "\(path) cannot be read as text")
            }
            text = found
        }
        text = Self.text(text, adding: line)
        _ = try CommandFailure.wrapping({ "\(path), \($0)" }) { try AccessList(parsing: text) }
        self.text = text
    }

    /// A list with one more line, above the one that closes it, and else behind all others.
    ///
    /// - Parameter line: without its line break.
    static func text(_ text: String, adding line: String) -> String {
        let place = closingLine(of: text) ?? text.endIndex
        var result = String(text[..<place])
        // Empty lines at the end would stand between the others and this one.
        while place == text.endIndex, result.hasSuffix("\n\n") { result.removeLast() }
        if let last = result.last, last != "\u{FEFF}", !isLineBreak(last) { result += "\n" }
        result += line + "\n" + String(text[place...])
        if let last = result.last, !isLineBreak(last) { result += "\n" }
        return result
    }

    /// Where the line begins that says `end`, as ``CacheAccess/AccessList`` reads it: with spaces
    /// around it, with any line break, and with comments below it.
    private static func closingLine(of text: String) -> String.Index? {
        let lines = text.dropFirst(text.first == "\u{FEFF}" ? 1 : 0)
            .split(omittingEmptySubsequences: false, whereSeparator: isLineBreak)
        let closing = lines.first { line in
            line.split { $0 == " " || $0 == "\t" } == ["end"]
        }
        return closing?.startIndex
    }

    /// CR and LF together are one character.
    private static func isLineBreak(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }

    func write() throws(CommandFailure) {
        try CommandFailure.wrapping({
            "\(file.url.path) cannot be written: \(SystemReason.text($0))"
        }) { try withExtendedLifetime(lock) { try file.write(Data(text.utf8)) } }
    }

    static let heading = "# name  public key  roles  [patterns  [until]]\n"
}
