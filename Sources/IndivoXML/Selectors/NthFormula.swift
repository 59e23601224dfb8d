/// The `an+b` of `:nth-child()` and its like.
struct NthFormula: Hashable, Sendable {
    var step: Int
    var offset: Int

    /// Whether `position`, from 1, is `step * n + offset` for some n of 0 or more.
    @inline(__always)
    func matches(_ position: Int) -> Bool {
        let distance = position - offset
        if step == 0 { return distance == 0 }
        return distance % step == 0 && distance / step >= 0
    }
}
