/// Something that takes bytes of strangers, as libFuzzer feeds it.
///
/// Whatever the bytes are, it must not trap, touch memory that is not its own, go on for ever, or
/// say what is not so: what it takes is written again, or held against another way to the same
/// answer, wherever there is one.
protocol FuzzTarget: SendableMetatype {
    /// As `Tests/Fuzz/run --target` names it.
    static var name: String { get }

    /// Looks at one input.
    static func take(_ input: UnsafeRawBufferPointer)
}

/// Everything that is fuzzed, in the order of the README.
let fuzzTargets: [any FuzzTarget.Type] = [
    WireFuzz.self, WirePartsFuzz.self, SegmentFuzz.self, LogFuzz.self, FloorsFuzz.self,
    KeptFuzz.self, JournalFuzz.self, TornJournalFuzz.self, TornLogFuzz.self, DiskFuzz.self,
    TierFuzz.self, TraceFuzz.self, AllowListFuzz.self, TextsFuzz.self, ClusterFuzz.self,
    WorkloadFuzz.self, AnswerFuzz.self, TemplateFuzz.self, ShardFuzz.self, PublisherFuzz.self,
    ControlFuzz.self, FollowerFuzz.self, HubFuzz.self, JSONFuzz.self, RequestFuzz.self,
    FieldsFuzz.self, BodiesFuzz.self, WebTokenFuzz.self, HealthFuzz.self,
]

/// Ends the process, so that libFuzzer keeps the input: something was said that is not so.
func check(_ isSo: Bool, _ otherwise: @autoclosure () -> String) {
    if !isSo { fatalError(otherwise()) }
}
