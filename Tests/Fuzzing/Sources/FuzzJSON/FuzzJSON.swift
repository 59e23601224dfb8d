import OrderedJSON

/// Whatever the bytes: an error inside the text, or a value that is the same after writing in every style,
/// whose locations and ranges are right, and that can be changed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let value: JSONValue
    do {
        value = try JSONValue(parsing: bytes)
    } catch {
        guard (0...bytes.count).contains(error.location.offset) else {
            fatalError("an error outside the text")
        }
        return 0
    }
    guard value.text(.asWritten).utf8.elementsEqual(bytes[value.sourceRange ?? 0..<0]) else {
        fatalError("not as written")
    }
    for style in [JSONStyle.compact, .pretty, .asWritten] {
        let written = value.utf8(style)
        guard let again = try? JSONValue(parsing: written) else {
            fatalError("what was written cannot be parsed")
        }
        guard again == value, again.hashValue == value.hashValue else { fatalError("it is not the same") }
        guard again.utf8() == value.utf8() else { fatalError("it is not written the same") }
    }
    guard rebuilt(value) == value else { fatalError("a copy made of its parts is another") }
    visit(value, bytes, JSONLineTable(textOf: value))
    change(value)
    return 0
}

private func rebuilt(_ value: JSONValue) -> JSONValue {
    if let members = value.members {
        return JSONValue(members: members.map { JSONMember(name: $0.name, value: rebuilt($0.value)) })
    }
    if let elements = value.elements { return JSONValue(elements.map(rebuilt)) }
    if let string = value.string { return JSONValue(string) }
    guard let number = value.number else { return value }
    guard let made = JSONValue(number: number) else { fatalError("a number that was parsed cannot be made") }
    return made
}

private func visit(_ value: JSONValue, _ bytes: [UInt8], _ table: JSONLineTable?) {
    guard let range = value.sourceRange, let part = try? JSONValue(parsing: bytes[range]), part == value
    else {
        fatalError("the range is not the value's")
    }
    guard table?.location(of: value) == value.location else { fatalError("two locations") }
    value.elements?.prefix(8).forEach { visit($0, bytes, table) }
    value.members?.prefix(8).forEach { visit($0.value, bytes, table) }
}

private func change(_ value: JSONValue) {
    for member in (value.members ?? []).prefix(8) {
        var changed = value
        changed[member.name] = 1
        guard changed[member.name]?.integer == 1 else { fatalError("not set") }
        changed[member.name] = nil
        guard changed[member.name] == nil else { fatalError("not removed") }
        guard let again = try? JSONValue(parsing: changed.utf8()), again == changed else {
            fatalError("not written")
        }
    }
}
