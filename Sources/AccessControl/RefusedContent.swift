/// The content of files that was refused last. While the files stay as they are, they are not
/// judged again.
///
/// To judge certificates costs time, and memory that does not come back: a `NIOSSLContext` that
/// cannot be made is never freed (swift-nio-ssl 2.37).
package struct RefusedContent<Content: Equatable & Sendable, Problem: Error>: Sendable {
    private var last: (content: Content, problem: Problem)?

    package init() {}

    /// - Parameter body: makes something of the content, or says why it cannot be used.
    /// - Throws: what `body` throws; the same again, without a call, for content that it has
    ///   refused last.
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
