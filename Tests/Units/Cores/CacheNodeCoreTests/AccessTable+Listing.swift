import CacheAccess

extension AccessTable {
    /// Of a list's text. Principals have the numbers of its lines, from 1.
    init(listing text: String) throws {
        self.init([nil] + (try AccessList(parsing: text)).entries.map(Optional.some))
    }
}
