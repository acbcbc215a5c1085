import CacheModel

/// The origin: which value each key has, and which it had when. A replica of it answers as it was
/// some time ago.
struct Database {
    private var commits: [[(time: WorldTime, version: Version)]]

    init() {
        commits = Catalog.items.map { _ in [(.beginning, Version(1))] }
    }

    /// The value that a key has had since before `time`.
    func version(of item: Int, at time: WorldTime) -> Version {
        commits[item].last { $0.time <= time }?.version ?? Version(1)
    }

    /// A key gets another value.
    mutating func commit(_ item: Int, at time: WorldTime) -> Version {
        let newest = commits[item].last?.version ?? Version(1)
        let version = Version(newest.rawValue + 1)
        commits[item].append((time, version))
        return version
    }
}
