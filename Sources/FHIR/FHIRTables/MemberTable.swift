/// The names of a type's members in JSON, hashed.
struct MemberTable: Sendable {
    private let names: NameTable
    private let members: [DefinedMember]

    init(_ elements: [DefinedElement]) {
        var names: [String] = []
        var members: [DefinedMember] = []
        for (index, element) in elements.enumerated() where element.maximum != 0 {
            for (typeIndex, type) in element.types.enumerated() where element.isChoice || typeIndex == 0 {
                names.append(element.isChoice ? element.name + type.suffix : element.name)
                members.append(DefinedMember(element: index, type: typeIndex))
            }
        }
        self.names = NameTable(names)
        self.members = members
    }

    subscript(name: UnsafeBufferPointer<UInt8>) -> DefinedMember? { names[name].map { members[$0] } }
}
