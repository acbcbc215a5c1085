import ByteCoding
package import CacheModel

/// Which keys an entry of the list is about: all, those of a namespace, of namespaces that begin
/// alike, or those of one namespace that begin alike.
///
///     *                everything
///     images           a namespace
///     team-*           namespaces
///     images/thumb:    keys of a namespace; %20 stands for a space, as in a URL, and %2A for a *
public struct KeyPattern: Hashable, Sendable {
    enum Reach: Hashable, Sendable {
        case everything
        case namespace([UInt8])
        case namespaces(beginning: [UInt8])
        case keys(beginning: [UInt8], in: [UInt8])
    }

    let reach: Reach

    public static let everything = KeyPattern(reach: .everything)

    private init(reach: Reach) { self.reach = reach }

    /// - Throws: a sentence that says what is wrong with it.
    init(_ text: Substring) throws(AccessListProblem.Reason) {
        guard text != "*" else {
            self = .everything
            return
        }
        let shown = AccessName.shown(text)
        let slash = text.firstIndex(of: "/")
        let word = text[..<(slash ?? text.endIndex)]
        let isBeginning = slash == nil && word.hasSuffix("*")
        let name = isBeginning ? word.dropLast() : word
        guard Namespace.isName(name.utf8) else { throw .namespace(shown) }
        guard let slash else {
            let bytes = Array(name.utf8)
            reach = isBeginning ? .namespaces(beginning: bytes) : .namespace(bytes)
            return
        }
        let rest = Array(text[text.index(after: slash)...].utf8)
        guard !rest.contains(UInt8(ascii: "*")) else { throw .star(shown) }
        guard let beginning = PercentEncoding.bytes(of: rest[...]),
            (1...CacheKey.bytesMax).contains(beginning.count)
        else { throw .beginning(shown) }
        reach = .keys(beginning: beginning, in: Array(name.utf8))
    }

    /// Whether it is about every key of a namespace, whatever it is called.
    func coversAll(of namespace: some Collection<UInt8>) -> Bool {
        switch reach {
        case .everything: true
        case .namespace(let name): namespace.elementsEqual(name)
        case .namespaces(let beginning): namespace.starts(with: beginning)
        case .keys: false
        }
    }

    /// Whether it is about every key of a namespace that begins with these bytes. A key begins
    /// with itself.
    func covers(
        keysBeginning bytes: some Collection<UInt8>, in namespace: some Collection<UInt8>
    ) -> Bool {
        if case .keys(let beginning, let name) = reach {
            return namespace.elementsEqual(name) && bytes.starts(with: beginning)
        }
        return coversAll(of: namespace)
    }

    /// What covers all keys that it is about; `nil` where only everything does.
    package var scope: Scope? {
        switch reach {
        case .everything, .namespaces: return nil
        case .namespace(let name):
            return Namespace(String(decoding: name, as: UTF8.self)).map { Scope(.namespace($0)) }
        case .keys(let beginning, let name):
            return Namespace(String(decoding: name, as: UTF8.self)).map {
                Scope(.prefix(beginning, in: $0))
            }
        }
    }

    /// How its keys begin, if it is about keys of this namespace that all begin with `bytes`;
    /// `nil` if it is about others, or about more.
    func beginning(
        in namespace: some Collection<UInt8>, within bytes: [UInt8]
    ) -> [UInt8]? {
        guard case .keys(let beginning, let name) = reach, namespace.elementsEqual(name),
            beginning.starts(with: bytes)
        else { return nil }
        return beginning
    }
}
