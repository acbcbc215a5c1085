import CacheModel

/// What a miss names of an entry that is there and not shown: by it the origin can be asked
/// whether it has changed.
struct Renewable {
    var validator: Validator?
    var version: Version = .none

    /// The fill that the ETag belongs to.
    var fill: Int? { validator.flatMap { Int($0.description.filter { $0 != "\"" }) } }

    /// Whether this is what a value was stored with.
    func names(_ fill: Fill) -> Bool {
        (validator == nil || validator == fill.validator)
            && (version == .none || version == fill.version)
    }
}
