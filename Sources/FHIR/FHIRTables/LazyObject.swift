import Synchronization

/// An object that is made when it is first asked for, and kept.
///
/// As `AtomicLazyReference`, whose operations other modules do not specialize: the metadata that each asked
/// for took more time than the rest.
package struct LazyObject<Object: AnyObject & Sendable>: ~Copyable {
    /// The bits of its address, 0 before it is made: `Atomic` of a type that is not generic. Once it is there
    /// it stays, retained until `deinit`, so that the address always leads to the object.
    private let address = Atomic<UInt>(0)

    package init() {}

    package func load() -> Object? { Self.object(at: address.load(ordering: .acquiring)) }

    private static func object(at address: UInt) -> Object? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: The object that is kept, which is another one where somebody was faster.
    package func storeIfNil(_ object: Object) -> Object {
        let new = Unmanaged.passRetained(object)
        let (isStored, old) = address.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: new.toOpaque()),
            ordering: .acquiringAndReleasing
        )
        guard !isStored, let other = Self.object(at: old) else { return object }
        new.release()
        return other
    }

    deinit {
        if let object = load() { Unmanaged.passUnretained(object).release() }
    }
}
