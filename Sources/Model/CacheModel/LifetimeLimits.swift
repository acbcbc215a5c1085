/// The longest time to live, for every interface: a store, a touch, a namespace.
@usableFromInline package enum LifetimeLimits {
    /// A hundred years. Longer is `none`: it never expires.
    package static let longest = Duration.seconds(36_500 * 86_400)
    /// The same in milliseconds.
    @inlinable package static var longestMilliseconds: UInt64 { 36_500 * 86_400_000 }
}
