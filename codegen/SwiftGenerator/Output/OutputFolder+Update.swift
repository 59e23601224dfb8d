extension OutputFolder {
    /// Has the folder hold exactly these generated files, or compares only, as the arguments say.
    ///
    /// - Parameter outcome: What was reported so far; what happened here is added.
    package func update(
        with files: [GeneratedFile],
        by arguments: some ToolArguments,
        _ outcome: inout GeneratorCommand.Outcome
    ) {
        do throws(Failure) {
            let plan = try plan(for: files)
            if !arguments.isCheck { try apply(plan) }
            if arguments.isCheck, !plan.isEmpty {
                outcome.status = 1
                outcome.errors += differences(plan, arguments.command)
            } else if !arguments.isQuiet {
                let upToDate = "\(Self.count(plan.unchanged.count)) in \(path), up to date."
                outcome.output.append(arguments.isCheck ? upToDate : summary(of: plan))
            }
        } catch {
            outcome.status = 2
            outcome.errors += error.messages
        }
    }

    private func differences(_ plan: Plan, _ command: String?) -> [String] {
        plan.written.map { "\(path)/\($0.name): error: This is not what the generator gives today." }
            + plan.removed.map { "\(path)/\($0): error: The generator does not give this file any more." }
            + [
                """
                error: The generated files are not up to date. \
                \(command.map { "Run \($0)." } ?? "Generate again.")
                """
            ]
    }

    private func summary(of plan: Plan) -> String {
        let removed =
            plan.removed.isEmpty
            ? "" : ", \(plan.removed.count) removed (\(plan.removed.joined(separator: ", ")))"
        return
            "\(path): \(Self.count(plan.written.count)) written, \(plan.unchanged.count) unchanged\(removed)."
    }

    private static func count(_ files: Int) -> String { files == 1 ? "1 file" : "\(files) files" }
}
