import CacheModel

/// The ETag and version of a hidden entry in the answer to a miss. With them a client asks the
/// origin whether the entry has changed.
struct Renewable {
    var validator: Validator?
    var version: Version = .none

    /// The fill that the ETag belongs to.
    var fill: Int? { validator.flatMap { Int($0.description.filter { $0 != "\"" }) } }

    /// Whether a fill was stored with them.
    func names(_ fill: Fill) -> Bool {
        (validator == nil || validator == fill.validator)
            && (version == .none || version == fill.version)
    }
}
