/// A pattern as instructions of a backtracking machine.
struct RegexProgram: Sendable {
    enum Instruction: Sendable {
        case scalar(Unicode.Scalar)
        case any
        case set(CharacterSet)
        /// Continues at the first and, if that fails, at the second.
        case branch(Int, Int)
        case jump(Int)
        /// Keeps the position: two slots a capture, and one a loop whose round can take nothing.
        case save(Int)
        /// Fails where the position is the one that the slot keeps: the round took nothing.
        case progress(Int)
        case assertion(RegexSyntax.Assertion)
        /// Matches the program within, up to the instruction after.
        case lookaround(isBehind: Bool, isNegative: Bool, next: Int)
        case backreference(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    /// Whether what follows depends on the instruction and the position alone. Then no such pair is tried
    /// twice, and matching takes time in proportion to pattern times text.
    private(set) var isMemoryless = true
    private(set) var slots: Int

    init(_ syntax: RegexSyntax, captures: Int) throws(BoundedRegexError) {
        slots = (captures + 1) * 2
        try compile(syntax, captures: captures)
        try emit(.match)
    }

    private mutating func emit(_ instruction: Instruction) throws(BoundedRegexError) {
        guard instructions.count < BoundedRegex.maximumInstructions else { throw .tooLarge }
        instructions.append(instruction)
    }

    private mutating func compile(_ syntax: RegexSyntax, captures: Int) throws(BoundedRegexError) {
        switch syntax {
        case .empty: break
        case .scalar(let scalar): try emit(.scalar(scalar))
        case .any: try emit(.any)
        case .set(let set): try emit(.set(set))
        case .sequence(let parts): for part in parts { try compile(part, captures: captures) }
        case .alternatives(let branches): try compile(alternatives: branches, captures: captures)
        case .repetition(let part, let least, let most, let isLazy):
            for _ in 0..<least { try compile(part, captures: captures) }
            guard let most else { return try compile(loop: part, isLazy: isLazy, captures: captures) }
            var exits: [Int] = []
            for _ in least..<most {
                exits.append(instructions.count)
                try emit(.branch(0, 0))
                try compile(part, captures: captures)
            }
            for exit in exits {
                let body = exit + 1
                instructions[exit] =
                    isLazy ? .branch(instructions.count, body) : .branch(body, instructions.count)
            }
        case .capture(let index, let part):
            try emit(.save(index * 2))
            try compile(part, captures: captures)
            try emit(.save(index * 2 + 1))
        case .assertion(let assertion): try emit(.assertion(assertion))
        case .lookaround(let part, let isBehind, let isNegative):
            isMemoryless = false
            let start = instructions.count
            try emit(.lookaround(isBehind: isBehind, isNegative: isNegative, next: 0))
            try compile(part, captures: captures)
            try emit(.match)
            instructions[start] = .lookaround(
                isBehind: isBehind,
                isNegative: isNegative,
                next: instructions.count
            )
        case .backreference(let index):
            guard index <= captures else { throw .malformed(reason: "there is no group \(index)", offset: 0) }
            isMemoryless = false
            try emit(.backreference(index))
        }
    }

    private mutating func compile(loop part: RegexSyntax, isLazy: Bool, captures: Int)
        throws(BoundedRegexError)
    {
        let start = instructions.count
        try emit(.branch(0, 0))
        let slot = part.canBeEmpty ? slots : nil
        if let slot {
            slots += 1
            try emit(.save(slot))
        }
        try compile(part, captures: captures)
        if let slot { try emit(.progress(slot)) }
        try emit(.jump(start))
        let end = instructions.count
        instructions[start] = isLazy ? .branch(end, start + 1) : .branch(start + 1, end)
    }

    private mutating func compile(alternatives branches: [RegexSyntax], captures: Int)
        throws(BoundedRegexError)
    {
        var ends: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try compile(branch, captures: captures)
                break
            }
            let start = instructions.count
            try emit(.branch(0, 0))
            try compile(branch, captures: captures)
            ends.append(instructions.count)
            try emit(.jump(0))
            instructions[start] = .branch(start + 1, instructions.count)
        }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }
}
