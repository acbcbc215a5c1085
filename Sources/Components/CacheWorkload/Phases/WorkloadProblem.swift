/// A problem of a workload, and its remedy.
package struct WorkloadProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index of the phase, from 0; `nil` for the workload as a whole.
    package var phase: Int?
    package var setting: WorkloadSetting
    /// What is wrong, and what to do about it.
    package var sentence: String

    package init(phase: Int? = nil, _ setting: WorkloadSetting, _ sentence: String) {
        self.phase = phase
        self.setting = setting
        self.sentence = sentence
    }

    package var description: String { "\(setting.rawValue): \(sentence)" }
}

extension [WorkloadProblem] {
    mutating func add(_ setting: WorkloadSetting, _ sentence: String) {
        append(WorkloadProblem(setting, sentence))
    }
}
