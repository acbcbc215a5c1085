import CacheAccess
import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A list of public keys on disk, to which lines are added.
struct AllowListFile {
    /// How long somebody else who changes it is waited for.
    static let patience = Duration.seconds(10)

    private let file: ReplacedFile
    /// From before it is read until it is written: a line that came meanwhile would be lost.
    private let lock: FolderLock
    private let text: String

    /// - Parameters:
    ///   - line: is checked together with what is there.
    ///   - patience: how long somebody else who changes it is waited for.
    /// - Throws: ``CommandFailure`` if the file cannot be read or is wrong, or would be with the
    ///   line, or somebody else is at it; it is untouched.
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
        do throws(AccessListProblem) {
            _ = try AccessList(parsing: text)
        } catch {
            throw CommandFailure(.unusableConfiguration, "\(path), \(error)")
        }
        self.text = text
    }

    /// A list with one more line, above the one that closes it.
    static func text(_ text: String, adding line: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
        let isClosed = lines.last == "end"
        lines.insert(line, at: lines.count - (isClosed ? 1 : 0))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Puts the whole file in the place of the old one.
    func write() throws(CommandFailure) {
        do {
            try withExtendedLifetime(lock) { try file.write(Data(text.utf8)) }
        } catch {
            throw CommandFailure(
                .unusableConfiguration,
                "\(file.url.path) cannot be written: \(SystemReason.text(error))")
        }
    }

    static let heading = "# name  public key  roles  [patterns  [until]]\n"
}
