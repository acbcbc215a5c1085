import ArgumentParser
import CacheMemory
import CommandSurface

/// What a capacity counts.
enum TraceUnit: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Every entry counts one.
    case objects
    /// An entry counts what the size column says, and nothing for its key or its keeping.
    case bytes

    var weighing: EntryWeighing {
        switch self {
        case .objects: .objects
        case .bytes: .payload
        }
    }

    /// `count` for people.
    func text(_ count: Int) -> String {
        switch self {
        case .objects: FigureText.grouped(UInt64(count))
        case .bytes: FigureText.size(UInt64(count))
        }
    }
}
