package import CacheModel

/// Decodes a record from the bytes that it was sealed as. This module knows no bytes of the wire:
/// the creator of a log that keeps encoded records passes the decoder.
package typealias RecordDecoding = @Sendable (UnsafeRawBufferPointer) -> SealedRecord
