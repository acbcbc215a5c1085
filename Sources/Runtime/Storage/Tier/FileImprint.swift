/// The identity of a file. A copy has another one, whatever it holds and whatever its name is.
package struct FileImprint: Equatable, Sendable {
    /// The number of its inode.
    package let number: UInt64
    /// When it was made, in nanoseconds since 1970; 0 if the system does not know.
    package let birth: UInt64
}
