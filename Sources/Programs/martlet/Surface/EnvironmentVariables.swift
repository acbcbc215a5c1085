import CommandSurface
import Logging

/// The environment variables that this program reads. All begin with `MARTLET_`, and one that
/// begins so and is not among them was probably meant to be.
enum EnvironmentVariables {
    static let prefix = "MARTLET_"

    static let known = released.union(ofChecked)

    private static let released: Set<String> = [
        ClusterOptions.variable, ClusterOptions.keyVariable, RoleOptions.listVariable,
        RoleOptions.tokensVariable, HealthOptions.variable, HealthOptions.tokenVariable,
        AuditOptions.variable, SlowOptions.variable, SlowOptions.namesVariable,
        SampleOptions.variable, LogOptions.variable, CollectorOptions.variable,
        SpanOptions.ratioVariable, "MARTLET_CONFIG", "MARTLET_ID", "MARTLET_PUBLISHER",
        "MARTLET_LIVE", "MARTLET_BIND", "MARTLET_LOG", "MARTLET_GATEWAY_BIND", "MARTLET_MEMORY",
        "MARTLET_MEMORY_PRESSURE", "MARTLET_ENTRIES_MAX", "MARTLET_IO_THREADS",
        "MARTLET_QUEUE_DIRECTORY", "MARTLET_DISK", "MARTLET_DISK_DIRECTORY",
        "MARTLET_DISK_WRITE_LIMIT", "MARTLET_DISK_READS", "MARTLET_DISK_FREE",
        "MARTLET_SECRETS_DIRECTORY", "MARTLET_STATE_DIRECTORY", "MARTLET_ETCD_ENDPOINTS",
        "MARTLET_ETCD_PREFIX", "MARTLET_ETCD_USER", "MARTLET_ETCD_PASSWORD_FILE",
        "MARTLET_ETCD_CA", "MARTLET_ETCD_CERTIFICATE", "MARTLET_ETCD_KEY",
    ]

    #if CACHE_CHECKED
        private static let ofChecked: Set<String> = ["MARTLET_PLANTED_BUG"]
    #else
        private static let ofChecked: Set<String> = []
    #endif

    /// A variable of ours that nothing reads.
    struct Unknown: Hashable {
        let name: String
        /// What it may have been meant to be.
        let nearest: String?

        var sentence: String {
            guard let nearest else {
                return "the variable \(name) is not one of martlet's, and is ignored"
            }
            return "the variable \(name) is unknown and ignored: did you mean \(nearest)?"
        }
    }

    /// In the order of their names.
    static func unknown(
        in environment: [String: String] = ProcessEnvironment.variables
    ) -> [Unknown] {
        environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted()
            .map { Unknown(name: $0, nearest: nearest(to: $0)) }
    }

    static func warn(_ logger: Logger) {
        for variable in unknown() {
            logger.log(
                level: variable.nearest == nil ? .notice : .warning, "\(variable.sentence)")
        }
    }

    /// The known name that differs in the fewest letters, if those are few.
    private static func nearest(to name: String) -> String? {
        let stem = Array(name.utf8.dropFirst(prefix.utf8.count))
        let candidates = known.sorted().map { other in
            (name: other, distance: distance(stem, Array(other.utf8.dropFirst(prefix.utf8.count))))
        }
        let best = candidates.min { $0.distance < $1.distance }
        return best.flatMap { $0.distance <= min(2, stem.count / 3) ? $0.name : nil }
    }

    /// Letters to insert, remove or replace (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

/// What was given for a setting: by its flag, or else by the variable of that name, such as
/// `--disk-free` and `MARTLET_DISK_FREE`.
struct GivenText {
    let text: String
    /// The flag or the variable, for errors.
    let source: String

    /// - Throws: ``CommandFailure`` with the source and what `parse` throws.
    func parsed<Value>(by parse: (String) throws -> Value) throws(CommandFailure) -> Value {
        do {
            return try parse(text)
        } catch {
            throw CommandFailure(.wrongUsage, "\(source): \(error)")
        }
    }
}

extension GivenText {
    /// - Returns: `nil` if neither is given.
    init?(_ flag: String?, _ name: String, _ environment: [String: String]) {
        let words = name.uppercased().split(separator: "-")
        let variable = EnvironmentVariables.prefix + words.joined(separator: "_")
        guard let text = flag ?? environment[variable] else { return nil }
        self.text = text
        source = flag == nil ? variable : name
    }
}
