#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A growable array of plain values in memory of its own.
///
/// Arena columns are read millions of times a second. A Swift array would check uniqueness and exclusivity on the way;
/// a column is a pointer and two numbers, and whoever holds it frees it (`deallocate()`).
struct Column<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count: Int
    private(set) var capacity: Int

    init() {
        // An aligned address other than zero: never read, because the capacity is 0.
        base = UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment)!
        count = 0
        capacity = 0
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        (base + count).initialize(to: element)
        count += 1
    }

    /// Makes room for `extra` elements behind the last and returns where they go.
    @inline(__always)
    mutating func extend(by extra: Int) -> UnsafeMutablePointer<Element> {
        if count + extra > capacity { grow(to: count + extra) }
        let start = base + count
        count += extra
        return start
    }

    @inline(__always)
    mutating func append(contentsOf source: UnsafePointer<Element>, count extra: Int) {
        extend(by: extra).update(from: source, count: extra)
    }

    mutating func append(contentsOf source: UnsafeBufferPointer<Element>) {
        guard let start = source.baseAddress else { return }
        append(contentsOf: start, count: source.count)
    }

    mutating func removeLast(_ number: Int = 1) { count -= number }

    mutating func reserve(_ wanted: Int) {
        if wanted > capacity { reallocate(to: wanted) }
    }

    /// Gives memory that is not needed back to the system.
    mutating func trim() {
        if capacity > count { reallocate(to: count) }
    }

    func copy() -> Column {
        var other = Column()
        other.reserve(count)
        other.append(contentsOf: base, count: count)
        return other
    }

    mutating func deallocate() {
        if capacity > 0 { free(base) }
        self = Column()
    }

    @inline(never)
    private mutating func grow(to wanted: Int) {
        reallocate(to: max(wanted, capacity + capacity / 2, 256 / MemoryLayout<Element>.stride))
    }

    private mutating func reallocate(to newCapacity: Int) {
        if newCapacity == 0 { return deallocate() }
        let old = capacity > 0 ? UnsafeMutableRawPointer(base) : nil
        guard let memory = realloc(old, newCapacity * MemoryLayout<Element>.stride) else {
            fatalError("out of memory: \(newCapacity) elements of \(MemoryLayout<Element>.stride) bytes")
        }
        base = memory.assumingMemoryBound(to: Element.self)
        capacity = newCapacity
    }
}
