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
