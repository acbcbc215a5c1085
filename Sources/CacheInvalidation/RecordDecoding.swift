package import CacheModel

/// Gives back a record from the bytes that it was sealed as. A room knows no bytes of the wire:
/// whoever makes a log that keeps some says how they are read.
package typealias RecordDecoding = @Sendable (UnsafeRawBufferPointer) -> SealedRecord
