import Synchronization

/// An object that is made when it is first asked for, and kept.
///
/// As `AtomicLazyReference`, whose operations other modules do not specialize: the metadata that each asked
/// for took more time than the rest.
package struct LazyObject<Object: AnyObject & Sendable>: ~Copyable {
    @usableFromInline let reference = Atomic<Unmanaged<Object>?>(nil)

    @inlinable
    package init() {}

    @inlinable
    package func load() -> Object? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// - Returns: The object that is kept, which is another one where somebody was faster.
    package func storeIfNil(_ object: Object) -> Object {
        let new = Unmanaged.passRetained(object)
        let (isStored, old) = reference.compareExchange(
            expected: nil,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        guard !isStored, let old else { return object }
        new.release()
        return old.takeUnretainedValue()
    }

    deinit { reference.load(ordering: .acquiring)?.release() }
}
