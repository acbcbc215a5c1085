/// One thing wrong with a configuration file, where it stands, and what to do about it.
package struct ConfigurationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let fileName: String
    package let place: SourcePlace
    /// Which setting, from the root: `nodes[2].shards`. Lists count from 0. Empty for the file as
    /// a whole.
    package let path: String
    /// What is wrong; what to do.
    package let sentence: String

    package init(fileName: String, place: SourcePlace, path: String, sentence: String) {
        self.fileName = fileName
        self.place = place
        self.path = path
        self.sentence = sentence
    }

    /// `FILE:LINE:COLUMN: path: sentence`
    package var description: String {
        let middle = path.isEmpty ? "" : "\(path): "
        return "\(fileName):\(place.line):\(place.column): \(middle)\(sentence)"
    }
}
