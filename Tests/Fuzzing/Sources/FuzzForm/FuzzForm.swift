import Foundation

@testable import IndivoSandbox

/// Whatever a browser sends to the sandbox: fields that are the same once they were written and read again.
/// The first byte says whether it is a form or a body of several parts, the first line of which is the
/// content type.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if start[0] & 1 == 0 {
        let fields = FormFields(parsing: String(decoding: bytes, as: UTF8.self))
        keeps(fields)
    } else {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return 0 }
        keeps(FormFields(multipart: Data(parts[1]), contentType: String(decoding: parts[0], as: UTF8.self)))
    }
    return 0
}

private func keeps(_ fields: FormFields) {
    let again = FormFields(parsing: FormFields.encode(fields.pairs.map { ($0.name, $0.value) }))
    guard again.pairs.count == fields.pairs.count,
        zip(again.pairs, fields.pairs).allSatisfy({ $0.name == $1.name && $0.value == $1.value })
    else { fatalError("the fields changed") }
    for pair in fields.pairs where fields[pair.name] == nil { fatalError("a name has no value") }
}
