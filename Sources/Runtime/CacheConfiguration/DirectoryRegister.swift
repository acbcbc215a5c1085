/// The setting that has each directory, so that two cannot have one.
///
/// It knows how paths are written, not where links lead; a lock tells the rest at the start.
struct DirectoryRegister {
    private var owners: [String: String] = [:]

    /// Gives `directory` to the setting `path`, or adds a problem if another has it.
    mutating func claim(
        _ directory: String, path: String, place: SourcePlace, _ problems: ProblemList
    ) {
        let key = Self.normalised(directory)
        guard let owner = owners[key] else {
            owners[key] = path
            return
        }
        problems.add(
            place, path,
            "\(TextProblem.quote(directory)) is taken by \(owner) already; give each node its own")
    }

    /// `directory` without what makes no difference: doubled and closing slashes, and `.`.
    private static func normalised(_ directory: String) -> String {
        let steps = directory.split(separator: "/").filter { $0 != "." }
        return (directory.hasPrefix("/") ? "/" : "") + steps.joined(separator: "/")
    }
}
