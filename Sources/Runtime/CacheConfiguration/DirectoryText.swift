/// A directory's path, as any system takes it. The file and the command line share it.
package enum DirectoryText {
    /// `text`, if it can be a path.
    ///
    /// - Throws: a sentence if it is empty, too long, or holds a zero byte.
    package static func parse(_ text: String) throws(TextProblem) -> String {
        let bytes = text.utf8.count
        guard bytes > 0, bytes <= ConfigurationLimits.pathBytesMax, !text.utf8.contains(0) else {
            throw TextProblem("that is no directory; give a path of 1 to 1000 bytes")
        }
        return text
    }
}
