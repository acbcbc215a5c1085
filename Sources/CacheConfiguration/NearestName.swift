/// Finds the name somebody meant.
enum NearestName {
    /// Longest word that is compared; a longer one is no slip of the pen.
    private static let wordBytesMax = 64

    /// The one of `names` that differs least from `word`, if by at most two letters and by less
    /// than half of the word.
    ///
    /// - Complexity: O(names × their length × the word's length).
    static func find(_ word: String, among names: [String]) -> String? {
        let letters = Array(word.utf8)
        guard letters.count <= wordBytesMax else { return nil }
        let ranked = names.map { (name: $0, distance: distance(letters, Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= 2, best.distance * 2 < max(letters.count, best.name.utf8.count)
        else { return nil }
        return best.name
    }

    /// Fewest letters to add, remove or change that make one word of the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (leftIndex, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = leftIndex + 1
            for (rightIndex, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[rightIndex + 1]
                row[rightIndex + 1] = min(changed, diagonal + 1, row[rightIndex] + 1)
            }
        }
        return row[right.count]
    }
}
