import CacheModel

/// The origin: the present and former values of each key. A replica of it answers with a former
/// state.
struct Database {
    private var commits: [[(time: WorldTime, version: Version)]]

    init() {
        commits = Catalog.items.map { _ in [(.beginning, Version(1))] }
    }

    /// The version that a key had at `time`.
    func version(of item: Int, at time: WorldTime) -> Version {
        commits[item].last { $0.time <= time }?.version ?? Version(1)
    }

    /// Gives a key a new value.
    mutating func commit(_ item: Int, at time: WorldTime) -> Version {
        let newest = commits[item].last?.version ?? Version(1)
        let version = Version(newest.rawValue + 1)
        commits[item].append((time, version))
        return version
    }
}
