/// Finds the intended name of a misspelt word.
package enum NearestName {
    /// Longest word that is compared; a longer one is not a typing error.
    private static let wordBytesMax = 64

    /// The one of `names` that differs least from `word`, if by at most two letters and by less
    /// than half of the word. Two exchanged neighbours count as one letter.
    ///
    /// - Complexity: O(names × their length × the word's length).
    package static func find(_ word: String, among names: [String]) -> String? {
        let letters = Array(word.utf8)
        guard letters.count <= wordBytesMax else { return nil }
        let ranked = names.map { (name: $0, distance: distance(letters, Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= 2, best.distance * 2 < max(letters.count, best.name.utf8.count)
        else { return nil }
        return best.name
    }

    /// The minimum number of letters to add, remove, change or exchange with the next one to turn
    /// one word into the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        // Row n is for the first n letters of `left`: the last two are kept.
        var (older, old) = ([Int](), Array(0...right.count))
        for (leftIndex, letter) in left.enumerated() {
            var row = [leftIndex + 1]
            for (rightIndex, other) in right.enumerated() {
                var best = min(old[rightIndex] + (letter == other ? 0 : 1), old[rightIndex + 1] + 1)
                best = min(best, row[rightIndex] + 1)
                let isExchanged =
                    leftIndex > 0 && rightIndex > 0 && letter == right[rightIndex - 1]
                    && left[leftIndex - 1] == other
                if isExchanged { best = min(best, older[rightIndex - 1] + 1) }
                row.append(best)
            }
            (older, old) = (old, row)
        }
        return old[right.count]
    }
}
