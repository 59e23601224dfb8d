import Indivo
import IndivoModel
import IndivoTesting

/// What the clients of one record queue, in order; a seed determines it.
struct Script {
    enum Step: Sendable {
        case add
        /// A document that the server refuses.
        case addRefused
        case replace(step: Int)
        case setStatus(DocumentStatus, step: Int)
        case setLabel(step: Int)

        /// The step that made the document which this one is about.
        var target: Int? {
            switch self {
            case .add, .addRefused: nil
            case .replace(let step), .setStatus(_, let step), .setLabel(let step): step
            }
        }

        var makesDocument: Bool {
            switch self {
            case .add, .addRefused, .replace: true
            case .setStatus, .setLabel: false
            }
        }
    }

    let steps: [Step]

    init(seed: UInt64, epoch: Int, record: Int, count: Int) {
        var generator = SeededGenerator(seed: seed, part: epoch, record, 1)
        var steps: [Step] = []
        var newest: [Int] = []
        for index in 0..<count {
            guard let target = newest.randomElement(using: &generator), generator.happens(0.55) else {
                steps.append(generator.happens(0.06) ? .addRefused : .add)
                newest.append(index)
                continue
            }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                steps.append(.replace(step: target))
                newest.removeAll { $0 == target }
                newest.append(index)
            case 4..<7:
                let status = DocumentStatus.allCases.randomElement(using: &generator) ?? .archived
                steps.append(.setStatus(status, step: target))
            default:
                steps.append(.setLabel(step: target))
            }
        }
        self.steps = steps
    }

    /// The document that a step brings.
    func document(_ index: Int) -> Medication {
        let medication = Medication()
        medication.drugName = CodedValue(title: "Step \(index)", system: .rxNorm, identifier: "316153")
        medication.startDate = "2026-11-21"
        medication.instructions = "ä–\(index) "
        if case .addRefused = steps[index] { medication.instructions = String(repeating: "x", count: 300) }
        return medication
    }

    func label(_ index: Int) -> String { "label \(index)" }

    /// Equal for many changes, so that one might be taken for another.
    func reason(_ index: Int) -> String { "reason \(index % 2)" }

    /// The steps that cannot be carried out: refused ones, and those that build on them.
    var doomed: Set<Int> {
        var doomed: Set<Int> = []
        for (index, step) in steps.enumerated() {
            if case .addRefused = step { doomed.insert(index) }
            if let target = step.target, doomed.contains(target) { doomed.insert(index) }
        }
        return doomed
    }
}
