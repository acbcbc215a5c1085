import CacheAccess
import Foundation

/// The list's file, looked at again and again.
///
/// By its text, not by its date: editors and mounted volumes replace files in too many ways to
/// trust anything else.
struct ListFile {
    let path: String
    private var lastText: Data?
    private var lastProblem = ""

    init(_ path: String) { self.path = path }

    /// - Returns: the list, if its text is another one than at the last look that succeeded.
    mutating func read() throws(AccessControlError) -> AccessList? {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw .unreadableList(path: path, reason: error.localizedDescription)
        }
        guard data != lastText else { return nil }
        guard data.count <= AccessList.bytesMax else {
            throw .unreadableList(
                path: path, reason: "it is longer than \(AccessList.bytesMax) bytes")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .wrongList(path: path, AccessListProblem(line: 0, reason: .notText))
        }
        do {
            let list = try AccessList(parsing: text)
            lastText = data
            return list
        } catch {
            throw .wrongList(path: path, error)
        }
    }

    /// Whether a problem is another one than was said last.
    mutating func isNews(_ problem: AccessControlError) -> Bool {
        let text = "\(problem)"
        defer { lastProblem = text }
        return text != lastProblem
    }

    mutating func isWellAgain() -> Bool {
        defer { lastProblem = "" }
        return !lastProblem.isEmpty
    }
}
