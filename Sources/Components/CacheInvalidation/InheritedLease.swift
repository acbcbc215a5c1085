/// The longest lease that publishers before this one may have granted.
package enum InheritedLease {
    /// What the log says of it.
    case known(Duration)
    /// Unknown, and no longer than nodes accept.
    case unknown(atMost: Duration)

    var longest: Duration {
        switch self {
        case .known(let lease), .unknown(let lease): lease
        }
    }

    /// Zero if it is unknown.
    var known: Duration {
        if case .known(let lease) = self { lease } else { .zero }
    }
}
