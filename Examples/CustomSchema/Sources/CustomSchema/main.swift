import Indivo

// The models in Models/*.sdml become classes when this package is built. Here they are used like any other document:
// made, written, read back and compared.

for type in IndivoDocument.customSchemaModels { type.register() }

let documents: [IndivoDocument] = [Examples.night, Examples.family, try Examples.checkup]
for document in documents {
    let xml = try document.xml()
    let model = xml.children(named: "Model").first
    print("\(document.modelName): \(model?.children(named: "Field").count ?? 0) fields in SDMX")

    for back in try SDMXDocument(xml).models {
        guard type(of: back) == type(of: document), back.hasSameContent(as: document) else {
            fatalError("The \(document.modelName) that was read is not the one that was written.")
        }
    }
}
print("\(documents.count) documents of custom models written and read back: the same.")
