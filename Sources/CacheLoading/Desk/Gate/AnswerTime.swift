/// How long a good answer of an origin lately took: an exponentially weighted mean.
struct AnswerTime {
    /// `nil`: none has come yet.
    private(set) var typical: Duration?

    mutating func learn(_ elapsed: Duration) {
        typical = typical.map { $0 + (elapsed - $0) / DeskLimits.answerTimeDivisor } ?? elapsed
    }
}
