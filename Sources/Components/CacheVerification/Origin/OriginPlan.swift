package import CacheModel

/// How often to compare nodes' values with those of origins, and in which namespaces.
package struct OriginPlan: Hashable, Sendable {
    /// Questions to origins a second, second looks included; 0: none.
    package var perSecond: Int
    /// The namespaces with an origin.
    package var namespaces: Set<Namespace>

    package init(perSecond: Int, namespaces: Set<Namespace>) {
        self.perSecond = perSecond
        self.namespaces = namespaces
    }

    package static let none = OriginPlan(perSecond: 0, namespaces: [])

    /// Whether anything is compared at all.
    package var isOn: Bool { perSecond > 0 && !namespaces.isEmpty }
}
