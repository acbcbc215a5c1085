package import CacheAccess

/// The list's file, read at intervals.
///
/// Changes are detected by the text, not by the date: editors and mounted volumes replace files in
/// too many ways to rely on anything else. A file may be half written when it is read, and half a
/// list is still a list: a line without its last words grants more than the complete one. So a
/// change is accepted when two consecutive reads return the same text, and it does not look like a
/// part of a list.
package struct ListFile: Sendable {
    package let path: String
    /// Whether only its reader, and root, may read it.
    private let isSecret: Bool
    /// The text of the list in force. Bytes and not `Data`, which puts marks into its pointers: a
    /// leak check does not see memory that only such pointers reference.
    private var lastText: [UInt8]?
    private var lastList: AccessList?
    /// A changed text, found by the last read.
    private var candidate: [UInt8]?
    /// The error of a text, which is not parsed again because of it.
    private var refused: (text: [UInt8], problem: AccessControlError)?
    private var lastProblem = ""

    /// - Parameter isSecret: refuses a file that other users may read, at every read.
    package init(_ path: String, isSecret: Bool = false) {
        self.path = path
        self.isSecret = isSecret
    }

    /// Whether another read is needed before the text counts: soon, if possible.
    package var isUnsettled: Bool { candidate != nil && candidate != refused?.text }

    /// - Returns: the list, if its text differs from the last accepted one, and equals that of the
    ///   read before. The first read suffices by itself.
    package mutating func read() throws(AccessControlError) -> AccessList? {
        let text: [UInt8]
        do throws(AccessControlError) {
            text = try load()
        } catch {
            candidate = nil
            throw error
        }
        guard text != lastText else {
            candidate = nil
            return nil
        }
        guard lastText == nil || text == candidate else {
            candidate = text
            return nil
        }
        if let refused, refused.text == text { throw refused.problem }
        do throws(AccessControlError) {
            let list = try parse(text)
            (lastText, candidate, refused, lastProblem) = (text, nil, nil, "")
            lastList = list
            return list
        } catch {
            refused = (text, error)
            throw error
        }
    }

    /// The file's bytes, if it is a regular file and not too long: the read never blocks, and never
    /// reads a file without an end.
    private func load() throws(AccessControlError) -> [UInt8] {
        do throws(OpenedFile.Problem) {
            return try OpenedFile.contents(
                of: path, bytesMax: AccessList.bytesMax, isSecret: isSecret)
        } catch {
            if case .open(let mode) = error { throw .openList(path: path, mode: mode) }
            throw .unreadableList(path: path, reason: error.reason)
        }
    }

    private func parse(_ bytes: [UInt8]) throws(AccessControlError) -> AccessList {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .wrongList(path: path, AccessListProblem(line: 0, reason: .notText))
        }
        do throws(AccessListProblem) {
            let list = try AccessList(parsing: text)
            if let lastList, let lastText {
                try list.checkReplacing(lastList, text: bytes, oldText: lastText)
            }
            return list
        } catch {
            throw .wrongList(path: path, error)
        }
    }

    /// Whether a problem differs from the last reported one.
    package mutating func isNews(_ problem: AccessControlError) -> Bool {
        let text = "\(problem)"
        defer { lastProblem = text }
        return text != lastProblem
    }

    /// Whether the reported problem is over, with the list in force.
    package mutating func isWellAgain() -> Bool {
        guard candidate == nil else { return false }
        defer { lastProblem = "" }
        return !lastProblem.isEmpty
    }
}

/// The file contents refused last. While the files stay unchanged, they are not checked again.
///
/// Checking certificates costs time, and memory that is not freed: a `NIOSSLContext` that cannot be
/// made is never freed (swift-nio-ssl 2.37).
package struct RefusedContent<Content: Equatable & Sendable, Problem: Error>: Sendable {
    private var last: (content: Content, problem: Problem)?

    package init() {}

    /// - Parameter body: converts the content, or throws why it cannot be used.
    /// - Throws: the error of `body`; the same error again, without a call, for the content refused
    ///   last.
    package mutating func judge<Result>(
        _ content: Content, _ body: (Content) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        if let last, last.content == content { throw last.problem }
        do throws(Problem) {
            let result = try body(content)
            last = nil
            return result
        } catch {
            last = (content, error)
            throw error
        }
    }
}
