import CommandSurface

/// How much of a tier has been looked through, in steps that an eye can tell apart.
final class InspectionProgress {
    private static let steps = 200
    private let line = ProgressBar("reading", total: steps)
    private var shown = 0

    /// - Parameter share: from 0 to 1.
    func show(_ share: Double) {
        let step = Int(share * Double(Self.steps))
        guard step > shown else { return }
        shown = step
        line.show(step)
    }

    func finish() { line.finish() }
}
