/// Seeds that once found a defect. They are always run; a change of the world itself makes other
/// stories of them, and is then checked by bringing the defect back.
enum PastSeeds {
    /// A fill token of a run that had followed a log whose end was lost was judged by its number,
    /// and a value that had been invalidated meanwhile was stored.
    static let tokensOfAnotherRun: [UInt64] = [2, 24]

    /// A node told a publisher without a log where it stood and said goodbye before the others
    /// were heard; the publisher forgot it and went on earlier.
    static let forgottenMarks: [UInt64] = [74, 134]

    static let all = tokensOfAnotherRun + forgottenMarks
}
