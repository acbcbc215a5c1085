import CacheHTTP

/// What a read is answered with from memory, and the visit that ends once it is written.
struct NearAnswer {
    var answer: Answer
    var visit: Visit
}
