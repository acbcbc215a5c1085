/// What is wrong with a workload, and what to do about it.
package struct WorkloadProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which phase, from 0; `nil` for the workload as a whole.
    package var phase: Int?
    package var setting: WorkloadSetting
    /// What is wrong; what to do.
    package var sentence: String

    package init(phase: Int? = nil, _ setting: WorkloadSetting, _ sentence: String) {
        self.phase = phase
        self.setting = setting
        self.sentence = sentence
    }

    package var description: String { "\(setting.rawValue): \(sentence)" }
}
