// Foundation without the data of ICU, where it exists without: docs/decisions/0082 and 0117.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
