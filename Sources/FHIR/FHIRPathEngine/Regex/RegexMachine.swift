/// Runs a program over a text, with a stack of its own and a bound on steps.
struct RegexMachine {
    let program: RegexProgram
    let options: BoundedRegex.Options
    let text: [Unicode.Scalar]
    private(set) var slots: [Int]
    private var steps = 0
    /// What was tried, a bit for each pair of instruction and position; empty where that does not decide.
    private var tried: [UInt64] = []
    /// The words of `tried` that are not zero: forgetting takes as long as what is forgotten took.
    private var marked: [Int] = []

    private static let largestMemory = 1 << 25

    private enum Choice {
        case branch(Int, Int)
        case slot(Int, Int)
    }

    init(_ program: RegexProgram, options: BoundedRegex.Options, text: [Unicode.Scalar]) {
        self.program = program
        self.options = options
        self.text = text
        slots = Array(repeating: -1, count: program.slots)
    }

    /// The end of the first match that begins at a position and, if asked, ends at the end of the text.
    mutating func match(at start: Int, isWhole: Bool) throws(BoundedRegexError) -> Int? {
        slots = Array(repeating: -1, count: program.slots)
        steps += program.slots / 64
        let pairs = program.instructions.count * (text.count + 1)
        // In a search each start would need a memory of its own where captures count; a pair that failed from
        // one start fails from all others, so that one memory serves all.
        if program.isMemoryless, pairs <= Self.largestMemory, tried.isEmpty {
            tried = Array(repeating: 0, count: (pairs + 63) / 64)
        }
        guard let end = try run(from: 0, at: start, isWhole: isWhole, fixedEnd: nil) else { return nil }
        slots[0] = start
        slots[1] = end
        return end
    }

    /// Lets a next match try anew what was tried: after one that succeeded, its path is marked as well.
    mutating func forget() {
        for word in marked { tried[word] = 0 }
        marked = []
    }

    private mutating func run(
        from instruction: Int,
        at start: Int,
        isWhole: Bool,
        fixedEnd: Int?
    ) throws(BoundedRegexError) -> Int? {
        var choices: [Choice] = [.branch(instruction, start)]
        while let choice = choices.popLast() {
            guard case .branch(var next, var position) = choice else {
                if case .slot(let slot, let old) = choice { slots[slot] = old }
                continue
            }
            path: while true {
                steps += 1
                guard steps <= BoundedRegex.maximumSteps else { throw .tooManySteps }
                if !tried.isEmpty {
                    let pair = next * (text.count + 1) + position
                    let bit: UInt64 = 1 << UInt64(pair & 63)
                    if tried[pair >> 6] & bit != 0 { break path }
                    if tried[pair >> 6] == 0 { marked.append(pair >> 6) }
                    tried[pair >> 6] |= bit
                }
                switch program.instructions[next] {
                case .scalar(let scalar):
                    guard position < text.count, isSame(text[position], scalar) else { break path }
                    position += 1
                    next += 1
                case .any:
                    guard position < text.count,
                        options.contains(.dotMatchesNewlines) || !isNewline(text[position])
                    else { break path }
                    position += 1
                    next += 1
                case .set(let set):
                    guard position < text.count,
                        set.contains(text[position], ignoringCase: options.contains(.ignoresCase))
                    else { break path }
                    position += 1
                    next += 1
                case .branch(let first, let second):
                    choices.append(.branch(second, position))
                    next = first
                case .jump(let target):
                    next = target
                case .save(let slot):
                    choices.append(.slot(slot, slots[slot]))
                    slots[slot] = position
                    next += 1
                case .progress(let slot):
                    // With a memory of what was tried a round that took nothing ends by itself.
                    guard !tried.isEmpty || slots[slot] != position else { break path }
                    next += 1
                case .assertion(let assertion):
                    guard holds(assertion, at: position) else { break path }
                    next += 1
                case .lookaround(let isBehind, let isNegative, let after):
                    let found = try look(from: next + 1, at: position, isBehind: isBehind)
                    guard found != isNegative else { break path }
                    next = after
                case .backreference(let index):
                    let from = slots[index * 2]
                    let to = slots[index * 2 + 1]
                    guard from >= 0, to >= from else {
                        next += 1
                        continue path
                    }
                    guard position + to - from <= text.count,
                        zip(text[from..<to], text[position...]).allSatisfy({ isSame($0, $1) })
                    else { break path }
                    steps += to - from
                    position += to - from
                    next += 1
                case .match:
                    if isWhole, position != text.count { break path }
                    if let fixedEnd, position != fixedEnd { break path }
                    return position
                }
            }
        }
        return nil
    }

    private mutating func look(from instruction: Int, at position: Int, isBehind: Bool)
        throws(BoundedRegexError) -> Bool
    {
        guard isBehind else {
            return try run(from: instruction, at: position, isWhole: false, fixedEnd: nil) != nil
        }
        for start in stride(from: position, through: 0, by: -1)
        where try run(from: instruction, at: start, isWhole: false, fixedEnd: position) != nil { return true }
        return false
    }

    private func holds(_ assertion: RegexSyntax.Assertion, at position: Int) -> Bool {
        let lines = options.contains(.anchorsMatchLines)
        switch assertion {
        case .start: return position == 0 || (lines && isNewline(text[position - 1]))
        case .end: return position == text.count || (lines && isNewline(text[position]))
        case .textStart: return position == 0
        case .textEnd: return position == text.count
        case .wordBoundary, .noWordBoundary:
            let before = position > 0 && CharacterSet.matches(.word, text[position - 1])
            let after = position < text.count && CharacterSet.matches(.word, text[position])
            return (before != after) == (assertion == .wordBoundary)
        }
    }

    private func isSame(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
        if left == right { return true }
        return options.contains(.ignoresCase)
            && left.properties.lowercaseMapping == right.properties.lowercaseMapping
    }

    private func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
