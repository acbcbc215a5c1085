/// The recent duration of an origin's good answers: an exponentially weighted mean.
struct AnswerTime {
    /// `nil`: no answer yet.
    private(set) var typical: Duration?

    mutating func learn(_ elapsed: Duration) {
        typical = typical.map { $0 + (elapsed - $0) / DeskLimits.answerTimeDivisor } ?? elapsed
    }
}
