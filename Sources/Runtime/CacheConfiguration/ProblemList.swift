/// What one reading of a file has found wrong so far. Shared by the readers of its parts, on one
/// thread.
final class ProblemList {
    private let fileName: String
    private var problems: [ConfigurationProblem] = []
    private var omittedCount = 0

    init(fileName: String) {
        self.fileName = fileName
    }

    var isEmpty: Bool { problems.isEmpty }

    func add(_ place: SourcePlace, _ path: String, _ sentence: String) {
        guard problems.count < ConfigurationLimits.problemsMax else {
            omittedCount += 1
            return
        }
        problems.append(
            ConfigurationProblem(
                fileName: fileName, place: place, path: path, sentence: sentence))
    }

    /// Throws what was found, if anything was.
    func throwIfAny() throws(ConfigurationErrors) {
        guard !problems.isEmpty else { return }
        throw ConfigurationErrors(
            problems: problems.sorted { $0.place < $1.place }, omittedCount: omittedCount)
    }
}
