import CacheConfiguration
import CacheWorkload

/// `2/4`: the second of four that share the work.
enum PartText {
    static let countMax = 10_000

    static func parse(_ text: String) throws(TextProblem) -> KeyPart {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
            (1...countMax).contains(count), (1...count).contains(number)
        else { throw TextProblem("write 2/4 for the second of four; at most \(countMax)") }
        return KeyPart(index: number - 1, count: count)
    }
}
