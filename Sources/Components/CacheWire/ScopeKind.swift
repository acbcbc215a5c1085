/// The kinds of scopes. The numbers are on the wire.
public enum ScopeKind: UInt8, CaseIterable, Sendable {
    case key = 1
    case tag = 2
    case prefix = 3
    case namespace = 4
    case everything = 5
}
