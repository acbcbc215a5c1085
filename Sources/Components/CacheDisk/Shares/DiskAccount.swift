/// The number of a namespace's account in a tier, 0, 1, 2 … in the order in which they were opened.
/// It means nothing to another tier, or to another process.
package struct DiskAccount: Hashable, Sendable {
    let index: Int
}
