/// A whole number of hundredths: 0 to 100.
public struct Percent: Hashable, Sendable, Comparable {
    public static let none = Percent(unchecked: 0)
    public static let all = Percent(unchecked: 100)

    /// 0 to 100.
    public let hundredths: Int

    /// - Returns: `nil` unless `hundredths` lies between 0 and 100.
    public init?(_ hundredths: Int) {
        guard (0...100).contains(hundredths) else { return nil }
        self.hundredths = hundredths
    }

    private init(unchecked hundredths: Int) {
        self.hundredths = hundredths
    }

    public static func < (left: Percent, right: Percent) -> Bool {
        left.hundredths < right.hundredths
    }

    /// This percentage of `whole`, rounded down. `whole` is not negative.
    public func of(_ whole: Int) -> Int {
        let (hundreds, rest) = whole.quotientAndRemainder(dividingBy: 100)
        return hundreds * hundredths + rest * hundredths / 100
    }
}
