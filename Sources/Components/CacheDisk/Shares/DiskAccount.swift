/// The number of a namespace's account in a tier: 0, 1, 2 … in opening order. It is valid for one
/// tier in one process.
package struct DiskAccount: Hashable, Sendable {
    let index: Int
}
