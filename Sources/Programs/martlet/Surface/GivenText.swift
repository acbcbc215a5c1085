import CommandSurface

/// What was given for a setting: by its flag, or else by the variable of that name, such as
/// `--disk-free` and `MARTLET_DISK_FREE`.
struct GivenText {
    let text: String
    /// The flag or the variable, for errors.
    let source: String

    /// - Throws: ``CommandFailure`` with the source and what `parse` throws.
    func parsed<Value>(by parse: (String) throws -> Value) throws(CommandFailure) -> Value {
        do {
            return try parse(text)
        } catch {
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }
}

extension GivenText {
    /// - Returns: `nil` if neither is given.
    init?(_ flag: String?, _ name: String, _ environment: [String: String]) {
        let words = name.uppercased().split(separator: "-")
        let variable = EnvironmentVariables.prefix + words.joined(separator: "_")
        guard let text = flag ?? environment[variable] else { return nil }
        self.text = text
        source = flag == nil ? variable : name
    }
}
