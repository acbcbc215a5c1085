/// Fewer bytes were there than a read needed.
public struct CodingDamage: Error, Equatable {
    @usableFromInline package let neededBytes: Int
    @usableFromInline package let foundBytes: Int

    @inlinable
    package init(neededBytes: Int, foundBytes: Int) {
        self.neededBytes = neededBytes
        self.foundBytes = foundBytes
    }
}
