package import CacheModel

/// How often what nodes show is held against what origins have, and where.
package struct OriginPlan: Hashable, Sendable {
    /// Questions to origins a second, second looks included; 0: none.
    package var perSecond: Int
    /// Those that have an origin.
    package var namespaces: Set<Namespace>

    package init(perSecond: Int, namespaces: Set<Namespace>) {
        self.perSecond = perSecond
        self.namespaces = namespaces
    }

    package static let none = OriginPlan(perSecond: 0, namespaces: [])

    /// Whether anything is compared at all.
    package var isOn: Bool { perSecond > 0 && !namespaces.isEmpty }
}
