/// The first stage of the compiler: text of SDML files → ``SDMLSchema``.
public struct SDMLParser: Sendable {
    /// A file of models, and the notes file beside it.
    public struct Input: Sendable, Hashable {
        /// The SDML.
        public var models: SourceFile
        /// What SDML cannot say, if there is such a file.
        public var notes: SourceFile?

        public init(models: SourceFile, notes: SourceFile? = nil) {
            self.models = models
            self.notes = notes
        }
    }

    /// What parsing gives: the models, and every problem of every file. With an error among them the models
    /// are only as much as could be understood.
    public struct Result: Sendable {
        /// The models.
        public let schema: SDMLSchema
        /// The problems in the order of the input.
        public let diagnostics: [Diagnostic]
        /// Whether one of the problems is an error.
        public var hasErrors: Bool { diagnostics.hasErrors }
    }

    /// Reads the models of all files together: a model of one file may refer to one of another.
    ///
    /// - Parameters:
    ///   - inputs: The files; their order makes no difference.
    ///   - externalModels: Names of models that are defined elsewhere and may be referred to.
    public static func parse(_ inputs: [Input], externalModels: Set<String> = []) -> Result {
        let diagnostics = Diagnostics()
        var definitions: [ModelDefinition] = []
        var notes: [String: NotesOfModel] = [:]
        for input in inputs.sorted(by: { $0.models.path < $1.models.path }) {
            let errorsBefore = diagnostics.errorCount
            var reader = ModelReader(file: input.models, diagnostics: diagnostics)
            if let root = JSONReader.read(input.models, into: diagnostics) { reader.read(root) }
            definitions += reader.definitions
            let isComplete = diagnostics.errorCount == errorsBefore
            if let file = input.notes, let root = JSONReader.read(file, into: diagnostics) {
                NotesReader(
                    models: input.models.path,
                    definitions: reader.definitions,
                    isComplete: isComplete,
                    diagnostics: diagnostics
                ).read(root, into: &notes)
            }
        }
        let linker = SchemaLinker(
            definitions: definitions,
            notes: notes,
            externalModels: externalModels,
            diagnostics: diagnostics
        )
        return Result(schema: linker.link(), diagnostics: diagnostics.sorted)
    }
}
