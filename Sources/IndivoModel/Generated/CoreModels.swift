extension IndivoDocument {
    static let coreModels: [IndivoDocument.Type] = []
}
