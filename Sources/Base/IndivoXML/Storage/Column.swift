import Foundation

/// A growable array of plain values in memory of its own. Arena columns are read millions of times a second.
/// A Swift array would check uniqueness and exclusivity on the way; a column is a pointer and two numbers,
/// and whoever holds it frees it (`deallocate()`).
struct Column<Element: BitwiseCopyable> {
    // At first an aligned address other than zero: never read, because the capacity is 0.
    private(set) var base = UnsafeMutablePointer<Element>(bitPattern: MemoryLayout<Element>.alignment)!
    private(set) var count = 0
    private(set) var capacity = 0

    var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

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

    mutating func reserve(_ wanted: Int) { if wanted > capacity { reallocate(to: wanted) } }

    @inline(never)
    private mutating func grow(to wanted: Int) {
        reallocate(to: max(wanted, capacity + capacity / 2, 256 / MemoryLayout<Element>.stride))
    }

    private mutating func reallocate(to newCapacity: Int) {
        if newCapacity == 0 { return deallocate() }
        let isLarge = Column.isLarge(newCapacity)
        if !isLarge, !Column.isLarge(capacity) {
            let old = capacity > 0 ? UnsafeMutableRawPointer(base) : nil
            guard let memory = realloc(old, newCapacity * MemoryLayout<Element>.stride) else {
                Column.fail(newCapacity)
            }
            base = memory.assumingMemoryBound(to: Element.self)
        } else if isLarge, Column.isLarge(capacity), newCapacity < capacity {
            // The pages behind the end go back at once.
            let kept = Column.pages(newCapacity)
            let had = Column.pages(capacity)
            if kept < had { munmap(UnsafeMutableRawPointer(base) + kept, had - kept) }
        } else {
            let memory =
                isLarge ? Column.map(newCapacity) : malloc(newCapacity * MemoryLayout<Element>.stride)
            guard let memory else { Column.fail(newCapacity) }
            let new = memory.assumingMemoryBound(to: Element.self)
            new.update(from: base, count: count)
            if capacity > 0 { Column.release(base, capacity) }
            base = new
        }
        capacity = newCapacity
    }

    // MARK: Large columns

    // The system's allocator keeps the holes that large blocks leave, so that a process would go on holding
    // what a parse needed at its peak. Large columns have pages of their own.
    private static func isLarge(_ capacity: Int) -> Bool {
        capacity * MemoryLayout<Element>.stride >= 4 << 20
    }

    private static func pages(_ capacity: Int) -> Int {
        let page = Int(getpagesize())
        return (capacity * MemoryLayout<Element>.stride + page - 1) / page * page
    }

    private static func map(_ capacity: Int) -> UnsafeMutableRawPointer? {
        let memory = mmap(nil, pages(capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        return memory == MAP_FAILED ? nil : memory
    }

    private static func release(_ base: UnsafeMutablePointer<Element>, _ capacity: Int) {
        if isLarge(capacity) { munmap(base, pages(capacity)) } else { free(base) }
    }

    private static func fail(_ capacity: Int) -> Never {
        fatalError("out of memory: \(capacity) elements of \(MemoryLayout<Element>.stride) bytes")
    }

    mutating func deallocate() { apply(.deallocate) }

    mutating func apply(_ step: ColumnStep) {
        switch step {
        case .copy:
            var copy = Column()
            copy.reserve(count)
            copy.append(contentsOf: base, count: count)
            self = copy
        case .trim: if capacity > count { reallocate(to: count) }
        case .deallocate:
            if capacity > 0 { Column.release(base, capacity) }
            self = Column()
        }
    }
}

/// What is done to all columns of an arena together.
enum ColumnStep {
    /// Another owner keeps the memory that was copied.
    case copy
    /// Gives memory that is not needed back to the system.
    case trim
    case deallocate
}
