import Foundation
import Testing

/// `indivo study consume --withdraw`, as a user runs it.
struct StudyConsumeCommandTests {
    private static let id = "6f1b0f0e-5d0b-4e9c-9a53-0e0b5a7c2d11"

    private func withdraw(_ value: String, input: String) throws -> Tool.Result {
        var result: Tool.Result?
        try Tool.use { tool in
            let places = ["--queue", "sqlite:q.sqlite", "--store", "sqlite:s.sqlite", "--keys", "none"]
            result = try tool.run(["study", "consume"] + places + ["--withdraw", value], input: input)
        }
        return try #require(result)
    }

    @Test(
        "what is no id is refused and not shown",
        arguments: ["", "\n6f1b0f0e-5d0b-4e9c-9a53-0e0b5a7c2d11", "nobody-4711\n"]
    )
    func noID(input: String) throws {
        let run = try withdraw("-", input: input)
        #expect(run.status == 2 && run.errors.contains("standard input has no UUID"), "\(run.errors)")
        #expect(!run.errors.contains("4711") && !run.errors.contains(Self.id))
    }

    @Test(
        "an id is a line of standard input, or the argument",
        arguments: [
            ("-", "6f1b0f0e-5d0b-4e9c-9a53-0e0b5a7c2d11\n"),
            ("-", "6F1B0F0E-5D0B-4E9C-9A53-0E0B5A7C2D11 \r\nmore"),
            ("6f1b0f0e-5d0b-4e9c-9a53-0e0b5a7c2d11", ""),
        ]
    )
    func id(value: String, input: String) throws {
        // It comes as far as the folder of keys, which is not there.
        let run = try withdraw(value, input: input)
        #expect(
            run.status == 2 && !run.errors.contains("UUID") && run.errors.contains("none"),
            "\(run.errors)"
        )
    }
}
