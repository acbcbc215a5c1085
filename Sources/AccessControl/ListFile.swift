package import CacheAccess

/// The list's file, looked at again and again.
///
/// By its text, not by its date: editors and mounted volumes replace files in too many ways to
/// trust anything else. A file may be half written when it is looked at, and half a list is a list,
/// too: a line without its last words says more than the whole one. So a change is taken when two
/// looks in a row see the same, and it does not look like a part of a list.
package struct ListFile: Sendable {
    package let path: String
    /// Whether its reader, and root, alone may read it.
    private let isSecret: Bool
    /// Of the list in force. Bytes and not `Data`, which puts marks into its pointers: a leak check
    /// does not see what is held by these alone.
    private var lastText: [UInt8]?
    private var lastList: AccessList?
    /// Another text, which was there at the last look.
    private var candidate: [UInt8]?
    /// What was wrong with a text, which is not read again and again for that.
    private var refused: (text: [UInt8], problem: AccessControlError)?
    private var lastProblem = ""

    /// - Parameter isSecret: refuses a file that others may read, whenever it is looked at.
    package init(_ path: String, isSecret: Bool = false) {
        self.path = path
        self.isSecret = isSecret
    }

    /// Whether it has to be looked at once more before what is there counts: soon, if possible.
    package var isUnsettled: Bool { candidate != nil && candidate != refused?.text }

    /// - Returns: the list, if its text is another one than at the last look that succeeded, and
    ///   the same as at the look before. The first look has to suffice.
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

    /// The file's bytes, if it is an ordinary one and not too long: nothing is waited for, and
    /// nothing is read that has no end.
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

    /// Whether a problem is another one than was said last.
    package mutating func isNews(_ problem: AccessControlError) -> Bool {
        let text = "\(problem)"
        defer { lastProblem = text }
        return text != lastProblem
    }

    /// Whether what was said is over, with the list that is in force.
    package mutating func isWellAgain() -> Bool {
        guard candidate == nil else { return false }
        defer { lastProblem = "" }
        return !lastProblem.isEmpty
    }
}
